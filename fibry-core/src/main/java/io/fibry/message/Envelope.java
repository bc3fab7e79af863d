package io.fibry.message;

import java.util.Optional;

/**
 * A message that carries another object to a handler that works on that object. If the handler fails, the {@link
 * io.fibry.event.Failed} event and the log name the class of the content instead of the class of the envelope, and
 * what the content is {@linkplain #about() about}.
 *
 * <p>These methods are called on the thread of the actor, after the handler has failed. If one of them throws, the
 * event names the class of the envelope.
 */
public interface Envelope {
    /**
     * {@return the object that the message carries}
     */
    Object content();

    /**
     * Returns what the content is about, for example the name of the topic to which it was published.
     *
     * @return a short text; empty if there is nothing to tell
     */
    default Optional<String> about() {
        return Optional.empty();
    }
}
