package io.fibry.internal.context;

import io.fibry.ContextCarrier;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries what is bound to a block of code. Handlers run inside such a block; where a value is bound that does not belong
 * to a message, they do not run.
 *
 * @param <T> type of the value
 */
public final class BlockCarrier<T extends @Nullable Object> implements ContextCarrier {
    private final BooleanSupplier isBound;
    private final Supplier<T> value;
    private final BiConsumer<T, Runnable> runWhere;

    /**
     * See {@link ContextCarrier#scoped}.
     *
     * @param isBound whether the calling thread has a value
     * @param value that value
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

    /** What a sender has of whom nothing is known. */
    Captured nothing() {
        return new Unbound(this);
    }

    /** A class of whoever has made it. */
    Class<?> givenClass() {
        return runWhere.getClass();
    }

    private boolean isBoundHere() {
        return isBound.getAsBoolean();
    }

    /** What was taken. */
    sealed interface Block extends Captured {
        /** Whether the handler may run on the calling thread as it is now. */
        default boolean fits() {
            return true;
        }

        @Override
        default Runnable restore() {
            throw new IllegalStateException("what is bound to a block of code cannot be given to a thread:"
                    + " register its carrier itself, by carry()");
        }
    }

    /** A value. */
    record Bound<T extends @Nullable Object>(BlockCarrier<T> carrier, T value) implements Block {
        /** Runs code where the value is bound. */
        void run(Runnable code) {
            carrier.runWhere.accept(value, code);
        }
    }

    /** No value, which no block can bring about. */
    record Unbound(BlockCarrier<?> carrier) implements Block {
        @Override
        public boolean fits() {
            return !carrier.isBoundHere();
        }
    }
}
