package io.fibry.internal.net;

import io.fibry.internal.clock.Durations;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads how long a server wants a client to wait. */
final class HttpRetryAfter {
    private HttpRetryAfter() {
    }

    /** Returns the wait. A date is compared with the server's own date, since its clock may differ. */
    static OptionalLong nanos(HttpHeaders headers) {
        var wanted = headers.firstValue("Retry-After").map(String::strip).orElse("");
        if (wanted.matches("[0-9]{1,9}")) {
            return OptionalLong.of(Duration.ofSeconds(Long.parseLong(wanted)).toNanos());
        }
        var until = date(wanted);
        var now = headers.firstValue("Date").flatMap(HttpRetryAfter::date);
        return until.isPresent() && now.isPresent()
                ? OptionalLong.of(nanos(Duration.between(now.get(), until.get())))
                : OptionalLong.empty();
    }

    private static long nanos(Duration wait) {
        return wait.isNegative() ? 0 : Durations.nanos(wait, "the wait");
    }

    private static Optional<ZonedDateTime> date(String text) {
        try {
            return Optional.of(ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME));
        } catch (DateTimeException noDate) {
            return Optional.empty();
        }
    }
}
