package io.fibry;

import io.fibry.internal.context.BlockCarrier;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries context that belongs to a piece of work and is bound to a thread, such as the diagnostic context of the log
 * or a tracing span, from the thread that sends a message to the thread that handles it.
 *
 * <p>For each message the engine calls {@link #capture()} on the thread of the sender. On the thread of the actor it calls
 * {@link Captured#restore(Handling)} or {@link Captured#restore()} before the handler, and the {@code Runnable} that this
 * returned after the handler. All three are called by many threads at once; they should be quick and must not block. If
 * one of them throws, this is logged once for each carrier; the sender and the handler go on without the context.
 *
 * <p>The following carrier is for a value of the program, in this case a span:
 *
 * <pre>{@code
 * ContextCarrier spans = () -> {
 *     var span = Tracing.current();
 *     return () -> {
 *         var scope = Tracing.makeCurrent(span);
 *         return scope::close;
 *     };
 * };
 * var traced = ActorSystem.configure("traced").carry(spans).open();
 * }</pre>
 *
 * <p>A {@code ScopedValue} belongs to a block of code and not to a thread; it cannot be restored and undone. {@link
 * #ofScopedValue} carries it, and {@link #scoped} carries anything else of that kind.
 *
 * @see ScopeBuilder#carry
 * @see ActorSystem#carry
 */
@FunctionalInterface
public interface ContextCarrier {
    /**
     * Captures the context of the calling thread. If the thread has none, restoring the result must leave the other
     * thread without any.
     *
     * @return the captured context, which must not change any more
     */
    Captured capture();

    /**
     * The context that was captured on the thread of a sender. It may be restored on another thread, on more than one
     * thread, or never.
     */
    @FunctionalInterface
    interface Captured {
        /**
         * Restores the context on the calling thread.
         *
         * @return code that gives the calling thread back what it had before
         */
        Runnable restore();

        /**
         * Restores the context on the calling thread, for the handling of a message. This is called instead of {@link
         * #restore()} before the handler of a message, an ask, or code that was given to an actor. A tracing span of
         * the handler can begin here, and end where the context is given back.
         *
         * @param handling what begins; not to be used after this call
         * @return code that gives the calling thread back what it had before
         */
        default Runnable restore(Handling handling) {
            return restore();
        }
    }

    /** The handling of a message that is about to begin on the calling thread. */
    interface Handling {
        /**
         * Returns the name of the actor.
         *
         * @return the name; empty if the actor was made without one
         */
        Optional<String> actor();

        /**
         * Returns the class of the actor's handler. For a lambda this is a class that the JVM has made.
         *
         * @return the class
         */
        Class<?> handler();

        /**
         * Returns whether the sender has an answer, for which it may wait.
         *
         * @return whether this is an ask
         */
        boolean isAsk();
    }

    /**
     * Returns a carrier for the diagnostic context of the log, {@link org.slf4j.MDC}.
     *
     * @return the carrier
     */
    static ContextCarrier mdc() {
        return MdcCarrier.INSTANCE;
    }

    /**
     * Returns a carrier for the value of a thread-local variable. The value itself is passed on and not a copy, so it
     * should be immutable. If the sender has no value, or null, the handler finds the variable as if it had never been
     * set.
     *
     * @param variable the variable
     * @return the carrier
     */
    static ContextCarrier of(ThreadLocal<?> variable) {
        return new ThreadLocalCarrier<>(Objects.requireNonNull(variable, "variable"));
    }

    /**
     * Returns a carrier for a {@code java.lang.ScopedValue}, a class that Java has since version 25: {@code
     * ContextCarrier.ofScopedValue(TENANT)}. The method is {@link #scoped} with three methods of that class, so
     * everything that is written there holds here. The parameter is of type {@code Object} because this library also
     * runs on Java 21, which does not have the class.
     *
     * @param scopedValue the scoped value
     * @return the carrier
     * @throws IllegalArgumentException if the argument is not a {@code ScopedValue}
     */
    static ContextCarrier ofScopedValue(Object scopedValue) {
        return BlockCarrier.ofScopedValue(Objects.requireNonNull(scopedValue, "scopedValue"));
    }

    /**
     * Returns a carrier for a value that is bound to a block of code and cannot be unbound inside it. The handler runs
     * inside such a block, with the value that the sender had at the moment of sending:
     *
     * <pre>{@code
     * ContextCarrier.scoped(TENANT::isBound, TENANT::get,
     *         (tenant, code) -> ScopedValue.where(TENANT, tenant).run(code))
     * }</pre>
     *
     * <p>If the sender had no value, the handler has none. A handler that would run on a stack on which a value is
     * bound is moved to a thread of its own.
     *
     * <p>A message that is taken by {@link ReceivingContext#receive()} has no block of its own. The handler keeps the
     * value of the message with which it was called. A body keeps the value of its maker.
     *
     * <p>Such a carrier can only be given to {@link ScopeBuilder#carry} and {@link ActorSystem#carry}. No other carrier
     * can be built on it, because what its {@link #capture()} returns cannot be restored.
     *
     * @param <T> type of the value
     * @param isBound tells whether the calling thread has a value
     * @param value returns the value of the calling thread, if it has one
     * @param runWhere runs code, once and on the calling thread, with a value bound
     * @return the carrier
     */
    static <T extends @Nullable Object> ContextCarrier scoped(BooleanSupplier isBound, Supplier<T> value,
            BiConsumer<T, Runnable> runWhere) {
        return new BlockCarrier<>(Objects.requireNonNull(isBound, "isBound"),
                Objects.requireNonNull(value, "value"), Objects.requireNonNull(runWhere, "runWhere"));
    }
}
