package io.fibry.internal.context;

import io.fibry.ContextCarrier;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A carrier of a value that is bound to a block of code. A handler runs inside such a block. Where a value is bound
 * that does not belong to the message, the handler does not run.
 *
 * @param <T> the type of the value
 */
public final class BlockCarrier<T extends @Nullable Object> implements ContextCarrier {
    private final BooleanSupplier isBound;
    private final Supplier<T> value;
    private final BiConsumer<T, Runnable> runWhere;

    /**
     * See {@link ContextCarrier#scoped}.
     *
     * @param isBound tells whether the calling thread has a value
     * @param value returns that value
     * @param runWhere runs code with a value bound
     */
    public BlockCarrier(BooleanSupplier isBound, Supplier<T> value, BiConsumer<T, Runnable> runWhere) {
        this.isBound = isBound;
        this.value = value;
        this.runWhere = runWhere;
    }

    /**
     * See {@link ContextCarrier#ofScopedValue}.
     *
     * @param scopedValue the scoped value
     * @return its carrier
     */
    public static ContextCarrier ofScopedValue(Object scopedValue) {
        ScopedValues.require(scopedValue);
        return new BlockCarrier<>(() -> ScopedValues.isBound(scopedValue),
                () -> ScopedValues.value(scopedValue),
                (bound, code) -> ScopedValues.runWhere(scopedValue, bound, code));
    }

    @Override
    public Captured capture() {
        return isBound.getAsBoolean() ? new Bound<>(this, value.get()) : new Unbound(this);
    }

    /** Returns what is captured for a message without a known sender: no value. */
    Captured unbound() {
        return new Unbound(this);
    }

    /** Returns a class of the user that has made this carrier, for reports. */
    Class<?> userClass() {
        return runWhere.getClass();
    }

    private boolean isBoundHere() {
        return isBound.getAsBoolean();
    }

    /** What was captured. */
    sealed interface Block extends Captured {
        /** Tells whether the handler may run on the calling thread as it is now. */
        default boolean fits() {
            return true;
        }

        @Override
        default Runnable restore() {
            throw new IllegalStateException("what is bound to a block of code cannot be given to a thread:"
                    + " register its carrier itself, by carry()");
        }
    }

    /** A bound value. */
    record Bound<T extends @Nullable Object>(BlockCarrier<T> carrier, T value) implements Block {
        /** Runs code with the value bound. */
        void run(Runnable code) {
            carrier.runWhere.accept(value, code);
        }
    }

    /** No value. A block of code cannot unbind one. */
    record Unbound(BlockCarrier<?> carrier) implements Block {
        @Override
        public boolean fits() {
            return !carrier.isBoundHere();
        }
    }
}
