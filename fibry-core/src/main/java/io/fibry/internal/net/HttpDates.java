package io.fibry.internal.net;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/** Dates in headers (RFC 9110, 5.6.7). */
public final class HttpDates {
    private static final DateTimeFormatter FORM = DateTimeFormatter
            .ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    /** Written by any thread that answers, as a whole. */
    private static volatile Second latest = new Second(0, FORM.format(Instant.EPOCH));

    /** A second and its text. */
    private record Second(long second, String text) {
    }

    private HttpDates() {
    }

    /** Writes a date. */
    public static String text(Instant time) {
        return FORM.format(time);
    }

    /** Returns the text of now. Most answers are sent in the second of the answer before, so its text is kept. */
    static String now() {
        var second = System.currentTimeMillis() / 1_000;
        var known = latest;
        if (known.second != second) {
            known = new Second(second, text(Instant.ofEpochSecond(second)));
            latest = known;
        }
        return known.text;
    }

    /** Reads a date. */
    public static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
