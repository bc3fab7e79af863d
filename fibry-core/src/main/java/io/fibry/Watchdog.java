package io.fibry;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Configures a thread that looks from time to time at the actors of a scope and of the scopes inside it, and reports
 * what takes too long. By default it reports nothing.
 *
 * <pre>{@code
 * var watchdog = Watchdog.none().stuckAfter(Duration.ofSeconds(10)).laggingAfter(Duration.ofMinutes(1));
 * try (var scope = ActorSystem.configure("shop").watchdog(watchdog).listener(alarm).open()) {
 *     …
 * }
 * }</pre>
 *
 * <p>The thread looks four times within the shortest of the configured times. It knows only what it has seen: if it
 * sees the same thing in two looks, it takes the time between them. So what it reports has lasted at least as long as
 * the report says, and the report comes at most two looks late. Each thing is reported once, and once more if it lasts
 * twice as long. A look takes about 15 milliseconds for a hundred thousand actors. It takes place on a thread that is
 * used for nothing else. The watchdog does not look at a scope without actors.
 *
 * <p>Objects of this class are immutable and thread-safe: each call returns another one.
 *
 * @param stuckAfter how long a handler may work on a message before an {@link io.fibry.event.Stuck} event is reported.
 *     There is no limit for a body, which is the whole life of an actor, nor for a handler that waits for a message in
 *     {@code receive}
 * @param laggingAfter how long a message may wait in a mailbox before a {@link io.fibry.event.Lagging} event is
 *     reported
 * @param starvedAfter how long a new virtual thread may wait for a carrier before a {@link
 *     io.fibry.event.CarriersStarved} event is reported
 * @param dumps the directory in which a dump is written when something is reported
 */
public record Watchdog(Optional<Duration> stuckAfter, Optional<Duration> laggingAfter,
        Optional<Duration> starvedAfter, Optional<Path> dumps) {
    /**
     * Checks the times.
     *
     * @param stuckAfter more than zero
     * @param laggingAfter more than zero
     * @param starvedAfter more than zero
     * @param dumps the directory
     */
    public Watchdog {
        check("stuckAfter", stuckAfter);
        check("laggingAfter", laggingAfter);
        check("starvedAfter", starvedAfter);
        Objects.requireNonNull(dumps, "dumps");
    }

    private static void check(String what, Optional<Duration> time) {
        if (Objects.requireNonNull(time, what).filter(limit -> !limit.isPositive()).isPresent()) {
            throw new IllegalArgumentException(what + " must be more than zero: " + time.get());
        }
    }

    /**
     * Returns a watchdog that looks at nothing and reports nothing.
     *
     * @return the watchdog
     */
    public static Watchdog none() {
        return new Watchdog(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * Returns the same watchdog that also reports handlers that work for too long.
     *
     * @param time how long a handler may work on a message, more than zero
     * @return the new watchdog
     */
    public Watchdog stuckAfter(Duration time) {
        return new Watchdog(Optional.of(time), laggingAfter, starvedAfter, dumps);
    }

    /**
     * Returns the same watchdog that also reports messages that wait for too long.
     *
     * @param time how long a message may wait, more than zero
     * @return the new watchdog
     */
    public Watchdog laggingAfter(Duration time) {
        return new Watchdog(stuckAfter, Optional.of(time), starvedAfter, dumps);
    }

    /**
     * Returns the same watchdog that also reports when virtual threads do not get to run.
     *
     * @param time how long a new virtual thread may wait for a carrier, more than zero
     * @return the new watchdog
     */
    public Watchdog starvedAfter(Duration time) {
        return new Watchdog(stuckAfter, laggingAfter, Optional.of(time), dumps);
    }

    /**
     * Returns the same watchdog that also writes a {@linkplain ActorScope#dump() dump} of its scope when it reports something.
     * Each dump is a file of its own, {@code fibry-SCOPE-TIME.txt}, in a directory that is made if it is not there. At most
     * one dump a minute is written, and at most 100 by one watchdog. If a dump cannot be written, that is logged, and nothing
     * else happens.
     *
     * @param directory the directory
     * @return the new watchdog
     */
    public Watchdog dumpsTo(Path directory) {
        return new Watchdog(stuckAfter, laggingAfter, starvedAfter, Optional.of(directory));
    }
}
