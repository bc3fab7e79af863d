package io.fibry.message;

import io.fibry.event.Undelivered;
import java.util.Optional;

/**
 * A message that carries another object to a handler that works on that object. If the handler fails, the {@link
 * io.fibry.event.Failed} event and the log name the class of the content instead of the class of the envelope, and
 * what the content is {@linkplain #about() about}. If the message is lost or is not answered in time, or its handler is
 * stuck, the log, the events and the exceptions name the class of the content, too.
 *
 * <p>These methods are called on the thread of the actor, on the thread that loses the message, or on the thread that sends
 * the message. So they only return what is there. If one of them throws, the class of the envelope is
 * named.
 */
public interface Envelope {
    /** {@return the object that the message carries} */
    Object content();

    /**
     * Returns what the content is about, for example the name of the topic to which it was published.
     *
     * @return a short text; empty if there is nothing to tell
     */
    default Optional<String> about() {
        return Optional.empty();
    }

    /**
     * Tells whether the loss of this message is reported, to listeners and in the log. A message that only calls an
     * actor to work that is kept elsewhere may say that nothing is lost with it when the actor has stopped. It is
     * counted in any case. If this method throws, the loss is reported.
     *
     * @param cause why the message is lost
     * @return whether it is reported; true unless the message says otherwise
     */
    default boolean isLossReported(Undelivered.Cause cause) {
        return true;
    }
}
