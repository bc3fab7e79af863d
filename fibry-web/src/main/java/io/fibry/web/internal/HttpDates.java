package io.fibry.web.internal;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/** Dates in headers (RFC 9110, 5.6.7). */
final class HttpDates {
    private static final DateTimeFormatter FORM = DateTimeFormatter
            .ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    private HttpDates() {
    }

    /** Writes a date. */
    static String text(Instant time) {
        return FORM.format(time);
    }

    /** Reads a date. */
    static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
