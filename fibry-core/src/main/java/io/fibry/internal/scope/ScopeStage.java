package io.fibry.internal.scope;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The stage of a scope on the way to its end.
 *
 * <pre>
 *   stage: OPEN -> DRAINING              a thread that closes the scope or one around it, by CAS
 *          OPEN | DRAINING -> CLOSED     a thread that closes the scope, when it is drained or the time is over
 * </pre>
 *
 * <p>A thread that closes the scope sets the stage before it lists the members. The maker of a new actor adds it to
 * the members before it reads the stage. So an actor that comes too late is stopped with the others, or its maker
 * sees that it must not be made.
 *
 * <p>The scope around a scope lists it until the scope is released, its actors have exited and told their watchers, and it
 * has no inner scopes. A closer of the scope around then finds an actor that the closer of this scope could not wait for,
 * for example because the actor closed this scope itself. A thread that takes one of these reasons away, such as the
 * thread of an actor that exits, then checks all of them. The flag is volatile, and both lists lower their counts before
 * the removal of an entry returns. So the thread that takes the last reason away sees that no other one is left, and
 * removes the scope from the list. This takes away a reason of the scope around, so the thread goes on there. Several
 * threads may do the same. No reason comes back: a released scope is closed, and what is listed too late is removed by
 * the thread that has listed it. An actor that exits only reads counts, however many actors have not exited yet.
 */
final class ScopeStage {
    private enum Stage {
        OPEN,
        /** Only the actors of the scope can send to its actors and make actors. */
        DRAINING,
        /** No actor can be made any more. */
        CLOSED
    }

    private static final VarHandle STAGE =
            FieldAccess.of(MethodHandles.lookup(), "stage", Stage.class);

    private final Scope scope;
    /** Written by closers, by CAS; it only moves forward. */
    private volatile Stage stage = Stage.OPEN;
    /** Set by a closer, or by the exit hook of an actor that has closed its own scope. */
    private volatile boolean released;

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

    /** Refuses all new actors from now on. */
    void close() {
        stage = Stage.CLOSED;
    }

    /** Releases the scope. Its actors may still be on their way to their exit. */
    void release() {
        StackReserve.require(); // the lock of a part of the members is to be released
        released = true;
        var members = scope.members();
        if (members != null) {
            members.removeGone();
        }
        leaveIfOver();
    }

    /**
     * Removes the scope from the list of the scope around it if nothing keeps it there, and then the scope around it in
     * the same way.
     */
    void leaveIfOver() {
        assert Interleave.here();
        var inner = scope;
        for (var around = inner.parent(); around != null && inner.stage().isOver(); around = inner.parent()) {
            around.inner().remove(inner);
            inner = around;
        }
    }

    private boolean isOver() {
        // mutant: scope-is-unlisted-before-its-actors-have-exited
        return released && hasNoActors() && scope.children().isEmpty();
    }

    private boolean hasNoActors() {
        var members = scope.members();
        return members == null || members.isEmpty();
    }

    /** Returns whether the caller may make actors, and keep messages for names that no actor has. */
    boolean admitsCaller() {
        var now = stage;
        return now == Stage.OPEN || (now == Stage.DRAINING && isCalledFromInside());
    }

    /** Returns why an actor that has extended state does not take a message of the caller; null if it takes it. */
    @Nullable Cause refusal(ExtendedState actor) {
        if (actor.isStopping()) {
            return Cause.STOPPED;
        }
        // mutant: closing-scope-refuses-its-own-messages
        return !actor.isDraining() || isCalledFromInside() ? null : Cause.CLOSING;
    }

    /**
     * Returns whether the caller runs in an actor of the scope that is being closed. This is the outermost scope
     * around this one that is closing, or this scope if there is none.
     */
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
