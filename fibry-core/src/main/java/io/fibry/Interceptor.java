package io.fibry;

import org.jspecify.annotations.Nullable;

/**
 * Code around the handling of each message of an actor, for what concerns many handlers: who may send what, how long
 * handlers take, what is noted of failures.
 *
 * <pre>{@code
 * var orders = scope.named("orders").around(handling -> {
 *     if (handling.message() instanceof Order order && order.total() > limit) {
 *         throw new IllegalArgumentException("more than " + limit + ": " + order);
 *     }
 *     return handling.proceed();
 * }).newActor(handler);
 * }</pre>
 *
 * <p>An interceptor runs on the thread that runs the handler, as a part of the handling: with the context that the message
 * carries, under the deadline of its sender, and one message of an actor after the other. If it throws, the message has
 * failed with that, as if the handler had thrown it. An object that serves several actors is called by several threads.
 *
 * @see ActorBuilder#around(Interceptor)
 * @see ScopeBuilder#around(Interceptor)
 */
@FunctionalInterface
public interface Interceptor {
    /**
     * Handles a message, mostly by calling {@link Handling#proceed()}.
     *
     * @param handling the handling of one message
     * @return the answer, if the message is an ask; mostly what {@code proceed()} has returned. Another answer has to be one
     *     that the askers of the actor expect, since its type is not checked.
     * @throws Exception any exception, with which the message fails
     */
    @Nullable Object around(Handling handling) throws Exception;
}
