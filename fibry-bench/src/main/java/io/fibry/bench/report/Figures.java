package io.fibry.bench.report;

import java.util.Locale;

/** Formats numbers. */
public final class Figures {
    private Figures() {
    }

    /**
     * Returns a number with three significant digits, or with all digits before the point.
     *
     * @param value any number
     * @return the text
     */
    public static String number(double value) {
        if (value >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value >= 10 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.4f", value);
    }

    /**
     * Returns a time that has passed as text.
     *
     * @param seconds the time in seconds
     * @return minutes and seconds
     */
    public static String clock(double seconds) {
        var whole = Math.round(seconds);
        return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
    }
}
