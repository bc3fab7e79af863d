package io.fibry.internal.context;

import io.fibry.ContextCarrier;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.time.Cancellable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The present carriers of a scope. They change for the root scope only. */
public final class ScopeCarriers {
    private static final VarHandle CARRIERS =
            FieldAccess.of(MethodHandles.lookup(), "carriers", Carriers.class);

    /**
     * Replaced by a thread that adds or removes a carrier, which then clears {@code Scope.defaults}. A thread
     * that fills the defaults reads this once more, so none stays that is out of date. Written by CAS.
     */
    private volatile @Nullable Carriers carriers;
    private final Runnable afterChange;

    public ScopeCarriers(@Nullable Carriers carriers, Runnable afterChange) {
        this.carriers = carriers;
        this.afterChange = afterChange;
    }

    public @Nullable Carriers carriers() {
        return carriers;
    }

    /** Adds a carrier; the handle that is returned removes it again. */
    private record Carrying(ScopeCarriers carriers, Carriers.Entry added) implements Cancellable {
        @Override
        public boolean cancel() {
            return carriers.remove(added);
        }
    }

    public Cancellable add(ContextCarrier carrier) {
        var added = new Carriers.Entry(carrier);
        while (true) {
            var before = carriers;
            if (replace(before, Carriers.with(before, added))) {
                return new Carrying(this, added);
            }
        }
    }

    private boolean remove(Carriers.Entry removed) {
        while (true) {
            var before = carriers;
            var after = Carriers.without(before, removed);
            if (after == before) {
                return false;
            }
            if (replace(before, after)) {
                return true;
            }
        }
    }

    private boolean replace(@Nullable Carriers before, @Nullable Carriers after) {
        if (!CARRIERS.compareAndSet(this, before, after)) {
            return false;
        }
        afterChange.run();
        return true;
    }
}
