package io.fibry.time;

import java.time.Duration;
import java.util.Optional;

/**
 * Something that works by a {@link TimeSource}: the actors of a scope. A source that is moved by hand waits for its rest
 * between one moment and the next. Thread-safe.
 */
@FunctionalInterface
public interface Activity {
    /**
     * Waits until nothing is at work that could still set a timer, or look at the clock.
     *
     * @param limit how long, in real time
     * @param again whether the same caller has been here a moment ago and has waited for nothing else since
     * @return nothing if all is at rest; else what is at work, in words
     * @throws InterruptedException if the calling thread is interrupted
     */
    Optional<String> awaitRest(Duration limit, boolean again) throws InterruptedException;
}
