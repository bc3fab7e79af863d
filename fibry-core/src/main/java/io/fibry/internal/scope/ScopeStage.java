package io.fibry.internal.scope;

import io.fibry.internal.actor.Current;
import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How far a scope is with its end.
 *
 * <pre>
 *   stage: OPEN -> DRAINING              who closes the scope, or one around it, by CAS
 *          OPEN | DRAINING -> CLOSED     who closes the scope, when no message waits any more or the time is over
 * </pre>
 *
 * <p>The stage is set before the members are listed, and a new actor is listed before its maker looks at the stage: an actor
 * that comes too late either is stopped with the others or sees that it must not be.
 */
final class ScopeStage {
    private enum Stage {
        OPEN,
        /** Only what is inside can send, and make actors. */
        DRAINING,
        /** No actor can be made. */
        CLOSED
    }

    private static final VarHandle STAGE =
            FieldAccess.of(MethodHandles.lookup(), "stage", Stage.class);

    private final Scope scope;
    private volatile Stage stage = Stage.OPEN;

    ScopeStage(Scope scope) {
        this.scope = scope;
    }

    boolean isOpen() {
        return stage == Stage.OPEN;
    }

    boolean isClosed() {
        return stage == Stage.CLOSED;
    }

    void drain() {
        STAGE.compareAndSet(this, Stage.OPEN, Stage.DRAINING);
    }

    void close() {
        stage = Stage.CLOSED;
    }

    /** Tells whether the caller may make actors, and send to those that are not there yet. */
    boolean admitsCaller() {
        var now = stage;
        return now == Stage.OPEN || (now == Stage.DRAINING && isCalledFromInside());
    }

    /** Tells whether the caller runs in an actor of what is being closed: this scope, or the outermost one around it. */
    boolean isCalledFromInside() {
        var turn = Current.turn();
        if (turn == null) {
            return false;
        }
        var outermost = scope;
        for (var around = scope.parent(); around != null && around.isClosing(); around = around.parent()) {
            outermost = around;
        }
        for (var each = Scope.of(turn.cell.spec()); each != null; each = each.parent()) {
            if (each == outermost) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return stage.toString();
    }
}
