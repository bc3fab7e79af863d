package io.fibry.time;

import java.time.Duration;
import java.util.Optional;

/**
 * Something that works by a {@link TimeSource}, such as the actors of a scope. A time source that is moved by hand
 * waits until it is at rest, between one moment and the next. Implementations are thread-safe.
 */
@FunctionalInterface
public interface Activity {
    /**
     * Waits until no code is at work that could still set a timer or read the clock.
     *
     * @param limit how long to wait, in real time
     * @param again whether the caller has called this method a moment ago and has waited for nothing else since
     * @return an empty optional if everything is at rest; otherwise a text that tells what is at work
     * @throws InterruptedException if the calling thread is interrupted
     */
    Optional<String> awaitRest(Duration limit, boolean again) throws InterruptedException;
}
