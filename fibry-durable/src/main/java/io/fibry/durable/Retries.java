package io.fibry.durable;

import io.fibry.ActorException;
import io.fibry.FailurePolicy.Backoff;
import io.fibry.durable.Durable.Parking;
import io.fibry.durable.Journal.Tries;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** When something that has failed is tried again, and what the log says of it. */
final class Retries {
    private static final Logger LOG = LoggerFactory.getLogger(Retries.class);
    private static final int MOST_DOUBLINGS = 30;
    /** The longest pause before a reminder, or a task, is tried again. */
    static final Duration LONGEST = Duration.ofMinutes(10);
    private static final Backoff REMINDERS = new Backoff(Duration.ofSeconds(1), LONGEST, 0.5);

    /** What a person on call can do. */
    static final String PARKED =
            "it is parked after {} tries: {}; see DurableKeys.parked, and send it again when the reason is gone, or drop it";

    private Retries() {
    }

    /**
     * Returns the pause before the next try: twice as long with each try. Its jitter depends on what is tried and on the
     * number of the try, so things that have failed together do not come together, and a test needs no source of randomness.
     *
     * @param failed how many tries have failed, at least one
     * @param what the task that is tried
     */
    static Duration pause(Backoff backoff, int failed, Object what) {
        var doubled = backoff.min().multipliedBy(1L << Math.min(failed - 1, MOST_DOUBLINGS));
        long millis = (doubled.compareTo(backoff.max()) < 0 ? doubled : backoff.max()).toMillis();
        int mixed = (what.hashCode() * 31 + failed) * 0x9E3779B9;
        return Duration.ofMillis(millis - (long) (millis * backoff.jitter() * (mixed >>> 16) / (1 << 16)));
    }

    /**
     * Tells the log that a reminder, or a task, has failed once more, and returns what is kept of that.
     *
     * @param what names it in the log
     * @param before the tries before this one
     */
    static Tries failed(Parking parking, String what, Tries before, Throwable failure, Instant now) {
        var reason = reason(failure);
        int failed = before.failed() + 1;
        boolean isParked = parking.applies(failed, cause(failure));
        if (isParked) {
            LOG.warn("{} has failed; " + PARKED, what, failed, reason);
        } else if (isNew(reason, before.reason())) {
            LOG.warn(
                    "{} has failed and is tried again, from now on without another word while the reason stays the"
                            + " same: {}",
                    what, reason);
        }
        var from = now.isAfter(before.next()) ? now : before.next(); // the clock may have been put back
        return new Tries(failed,
                isParked ? Tries.NEVER
                        : from.plus(pause(REMINDERS, failed, what)).truncatedTo(ChronoUnit.MILLIS),
                reason);
    }

    /** Returns why a message has failed, as a store can keep it. */
    static String reason(Throwable failure) {
        var cause = cause(failure);
        // The message of an exception that tells what another node has thrown begins with the name of that class.
        var all = cause instanceof ActorException told && !told.className().equals(told.getClass().getName())
                ? String.valueOf(told.getMessage())
                : cause.toString();
        var text = new StringBuilder();
        all.codePoints().limit(Tries.MOST_REASON / 2)
                .forEach(c -> text
                        .appendCodePoint(c == 0 || Character.getType(c) == Character.SURROGATE ? '?' : c));
        return text.toString();
    }

    /** Returns what a future has failed with. */
    static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause()
                : failure;
    }

    /** Tells whether something has failed for another kind of reason than before: only then the log has a line. */
    static boolean isNew(String reason, String before) {
        return !kind(reason).equals(kind(before));
    }

    /** The class of the exception: its text may have a time or a number that is another one with each try. */
    private static String kind(String reason) {
        int end = reason.indexOf(':');
        return end < 0 ? reason : reason.substring(0, end);
    }
}
