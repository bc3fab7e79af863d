package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.context.Carriers;
import io.fibry.internal.measure.Measuring;
import org.jspecify.annotations.Nullable;

/** How a scope is measured: for a listener of its own, or else for that of the nearest scope around it that has one. */
final class ScopeMeasures {
    private final Scope scope;
    /** Null if no listener is there. */
    private final @Nullable Measuring measuring;
    private final boolean isOwn;

    ScopeMeasures(Scope scope, ScopeSpec spec) {
        this.scope = scope;
        var around = spec.parent();
        var own = spec.measures();
        isOwn = own != null;
        measuring = own != null ? new Measuring(spec.name(), spec.time(), own)
                : around == null ? null : around.measures.measuring;
        if (measuring != null) {
            measuring.cover(scope);
        }
    }

    /** Returns what the messages of the scope take along, if that is {@code carriers} without measures. */
    @Nullable Carriers with(@Nullable Carriers carriers) {
        return isOwn && measuring != null ? Carriers.with(carriers, measuring.sendTimes()) : carriers;
    }

    /** Lets a new actor be measured. */
    void observe(Cell cell) {
        if (measuring != null) {
            cell.extendedState().add(measuring.observerOf(cell));
        }
    }

    /** Notes the end of the scope. */
    void release() {
        if (measuring != null) {
            measuring.uncover(scope);
            if (isOwn) {
                measuring.end();
            }
        }
    }
}
