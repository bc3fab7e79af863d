package io.fibry;

import java.util.Objects;

/**
 * Takes what belongs to a piece of work and is bound to a thread, the log's diagnostic context or a tracing span, from the
 * thread that sends a message to the thread that handles it.
 *
 * <p>For each message the engine calls {@link #capture()} on the sender's thread, {@link Captured#restore()} on
 * the actor's before the handler, and what that returns after it, on the same thread. All three are called by many
 * threads at once, should be quick and must not block. What they throw is logged once for each carrier; sender and
 * handler go on without.
 *
 * <p>A carrier for a value of one's own, say a span:
 *
 * <pre>{@code
 * ContextCarrier spans = () -> {
 *     var span = Tracing.current();
 *     return () -> {
 *         var scope = Tracing.makeCurrent(span);
 *         return scope::close;
 *     };
 * };
 * var traced = ActorScope.configure("traced").carry(spans).open();
 * }</pre>
 *
 * @see ScopeBuilder#carry
 * @see ActorSystem#carry
 */
@FunctionalInterface
public interface ContextCarrier {
    /**
     * Takes what the calling thread has. It may have nothing: then restoring it must leave the other thread with
     * nothing.
     *
     * @return what was taken; it must not change any more
     */
    Captured capture();

    /** What was taken from a sender's thread. It may be restored on another thread, on more than one, or never. */
    @FunctionalInterface
    interface Captured {
        /**
         * Gives it to the calling thread.
         *
         * @return gives the calling thread back what it had before
         */
        Runnable restore();
    }

    /**
     * Carries the diagnostic context of the log, {@link org.slf4j.MDC}.
     *
     * @return the carrier
     */
    static ContextCarrier mdc() {
        return MdcCarrier.INSTANCE;
    }

    /**
     * Carries the value of a thread-local variable. The value itself is handed on, not a copy: it had better be immutable.
     * Where the sender has no value, or null, the handler finds the variable as if it was never set.
     *
     * @param variable the variable
     * @return the carrier
     */
    static ContextCarrier of(ThreadLocal<?> variable) {
        return new ThreadLocalCarrier<>(Objects.requireNonNull(variable, "variable"));
    }
}
