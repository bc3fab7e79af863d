package io.fibry;

import org.jspecify.annotations.Nullable;

/**
 * The handling of one message by an actor, as an {@link Interceptor} sees it. The interceptor uses it until it returns, on
 * the thread that has called it.
 */
public interface Handling {
    /**
     * Returns the actor that handles the message.
     *
     * @return the actor
     */
    Actor<?, ?> actor();

    /**
     * Returns the message.
     *
     * @return the message
     */
    Object message();

    /**
     * Runs the interceptors inside this one, and the handler. An interceptor that does not call this method refuses the
     * message, or answers in the place of the handler.
     *
     * @return what they have returned: the answer, or null if the handler gives none, or if its reply is deferred
     * @throws Exception what the handler, or an interceptor, has thrown
     * @throws IllegalStateException if this interceptor has called the method before or has returned, or if another thread or
     *         another actor calls it
     * @throws HandlerAbandonedException if the actor has gone on without the thread
     */
    @Nullable Object proceed() throws Exception;
}
