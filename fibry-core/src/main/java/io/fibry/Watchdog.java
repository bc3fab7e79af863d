package io.fibry;

import io.fibry.text.RecordText;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What is to be reported about the actors of a scope, and of the scopes inside it, by a thread that looks at them from
 * time to time. Nothing by default.
 *
 * <pre>{@code
 * var watchdog = Watchdog.none().stuckAfter(Duration.ofSeconds(10)).laggingAfter(Duration.ofMinutes(1));
 * try (var scope = ActorScope.configure("shop").watchdog(watchdog).listener(alarm).open()) {
 *     …
 * }
 * }</pre>
 *
 * <p>It looks four times within the shortest of its times, and knows only what it has seen: of two looks at the same
 * thing it takes the time between them. So what it reports has lasted at least as long as it says, and is reported at
 * most two looks late. Each thing is reported once, and once more if it lasts twice as long. Looking takes about
 * 15 milliseconds for a hundred thousand actors, on a thread that nobody else needs; a scope without actors is not looked
 * at.
 *
 * <p>Immutable and thread-safe: each call returns another one.
 *
 * @param stuckAfter how long a handler may work on a message before it is reported as
 *     {@link io.fibry.event.Stuck}. A body, which is all of an actor's life, may take its time; and so may a handler that
 *     waits for a message in {@code receive}.
 * @param laggingAfter how long a message may wait in a mailbox before that is reported as
 *     {@link io.fibry.event.Lagging}
 * @param starvedAfter how long a new virtual thread may have to wait for a carrier before that is reported as
 *     {@link io.fibry.event.CarriersStarved}
 */
public record Watchdog(Optional<Duration> stuckAfter, Optional<Duration> laggingAfter,
        Optional<Duration> starvedAfter) {
    /**
     * Checks the times.
     *
     * @param stuckAfter more than zero
     * @param laggingAfter more than zero
     * @param starvedAfter more than zero
     */
    public Watchdog {
        check("stuckAfter", stuckAfter);
        check("laggingAfter", laggingAfter);
        check("starvedAfter", starvedAfter);
    }

    private static void check(String what, Optional<Duration> time) {
        if (Objects.requireNonNull(time, what).filter(limit -> !limit.isPositive()).isPresent()) {
            throw new IllegalArgumentException(what + " must be more than zero: " + time.get());
        }
    }

    /**
     * A watchdog that reports nothing, and looks at nothing.
     *
     * @return the watchdog
     */
    public static Watchdog none() {
        return new Watchdog(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * The same that also reports handlers that work for too long.
     *
     * @param time how long they may, more than zero
     * @return the watchdog
     */
    public Watchdog stuckAfter(Duration time) {
        return new Watchdog(Optional.of(time), laggingAfter, starvedAfter);
    }

    /**
     * The same that also reports messages that wait for too long.
     *
     * @param time how long they may, more than zero
     * @return the watchdog
     */
    public Watchdog laggingAfter(Duration time) {
        return new Watchdog(stuckAfter, Optional.of(time), starvedAfter);
    }

    /**
     * The same that also reports when virtual threads do not get to run.
     *
     * @param time how long they may have to wait, more than zero
     * @return the watchdog
     */
    public Watchdog starvedAfter(Duration time) {
        return new Watchdog(stuckAfter, laggingAfter, Optional.of(time));
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("stuckAfter", stuckAfter).with("laggingAfter", laggingAfter)
                .with("starvedAfter", starvedAfter).toString();
    }
}
