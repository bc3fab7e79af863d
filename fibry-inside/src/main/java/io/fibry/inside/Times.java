package io.fibry.inside;

import java.time.Duration;
import java.util.Locale;

/** Durations as people read them. */
final class Times {
    private Times() {
    }

    static String text(Duration time) {
        var millis = time.toMillis();
        if (millis < 1_000) {
            return millis + " ms";
        }
        if (millis < 60_000) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1e3);
        }
        return time.toHours() > 0 ? time.toHours() + " h " + time.toMinutesPart() + " min"
                : time.toMinutes() + " min " + time.toSecondsPart() + " s";
    }

    static double millis(Duration time) {
        return time.toNanos() / 1e6;
    }
}
