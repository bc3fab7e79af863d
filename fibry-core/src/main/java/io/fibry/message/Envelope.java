package io.fibry.message;

import java.util.Optional;

/**
 * A message that carries another object to a handler that works on that object. If the handler fails, the {@link
 * io.fibry.event.Failed} event and the log name the class of the content instead of the class of the envelope, and
 * what the content is {@linkplain #about() about}. If the message is lost, the log and the exceptions name the class of
 * the content, too.
 *
 * <p>These methods are called on the thread of the actor, after the handler has failed, or on the thread that loses the
 * message. If one of them throws, the class of the envelope is named.
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
