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

    /** Written by any thread that answers, as a whole. */
    private static volatile Second latest = new Second(0, FORM.format(Instant.EPOCH));

    /** A second and its text. */
    private record Second(long second, String text) {
    }

    private HttpDates() {
    }

    static String text(Instant time) {
        return FORM.format(time);
    }

    /** Returns the text of about now. Most answers are sent in the second of the answer before, so its text is kept. */
    static String now(Instant now) {
        var known = latest;
        if (known.second != now.getEpochSecond()) {
            known = new Second(now.getEpochSecond(), text(now));
            latest = known;
        }
        return known.text;
    }

    /** Reads a date. What is no date counts as absent. */
    static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
