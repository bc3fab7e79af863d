package io.fibry;

import io.fibry.internal.context.BlockCarrier;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
 * <p>A {@code ScopedValue} belongs to a block of code and not to a thread: it cannot be restored and undone. It is carried
 * by {@link #ofScopedValue}, and anything else of that kind by {@link #scoped}.
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

    /**
     * Carries a {@code java.lang.ScopedValue}, which Java has from 25 on: {@code ContextCarrier.ofScopedValue(TENANT)}. It
     * is {@link #scoped} with the three methods of that class, and all that is said there holds. This library also runs on
     * Java 21 and cannot name the type.
     *
     * @param scopedValue the scoped value
     * @return the carrier
     * @throws IllegalArgumentException if that is no {@code ScopedValue}
     */
    static ContextCarrier ofScopedValue(Object scopedValue) {
        return BlockCarrier.ofScopedValue(Objects.requireNonNull(scopedValue, "scopedValue"));
    }

    /**
     * Carries a value that is bound to a block of code and cannot be unbound inside it. The handler runs inside such a
     * block, with the value that the sender had at the moment of sending:
     *
     * <pre>{@code
     * ContextCarrier.scoped(TENANT::isBound, TENANT::get,
     *         (tenant, code) -> ScopedValue.where(TENANT, tenant).run(code))
     * }</pre>
     *
     * <p>If the sender had no value, the handler has none: where a handler would run on a stack that has one bound, below
     * it, it is moved to a thread of its own.
     *
     * <p>A message that is taken by {@link ReceivingContext#receive()} has no block of its own. The handler keeps what the
     * message had with which it was called; a body keeps what its maker had.
     *
     * <p>Such a carrier is for {@link ScopeBuilder#carry} and {@link ActorSystem#carry} alone: other carriers cannot be
     * made of it, since what its {@link #capture()} returns cannot be restored.
     *
     * @param <T> type of the value
     * @param isBound whether the calling thread has a value
     * @param value the value of the calling thread, if it has one
     * @param runWhere runs code, once and on the calling thread, with a value bound
     * @return the carrier
     */
    static <T extends @Nullable Object> ContextCarrier scoped(BooleanSupplier isBound, Supplier<T> value,
            BiConsumer<T, Runnable> runWhere) {
        return new BlockCarrier<>(Objects.requireNonNull(isBound, "isBound"),
                Objects.requireNonNull(value, "value"), Objects.requireNonNull(runWhere, "runWhere"));
    }
}
