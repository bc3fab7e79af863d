package io.fibry.internal;

import io.fibry.ActorExecutor;
import io.fibry.Body;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered.Cause;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The end of an actor, always in this order: the mailbox is closed and what is in it reported; timers are
 * cancelled; exit hooks run; the name is free; listeners and waiters are told. Nothing that is thrown on the
 * way stops the rest.
 */
final class Termination {
    private Termination() {
    }

    /** Ends the actor at the end of its last turn. {@code taken} was taken from the mailbox, not handled. */
    static void run(Turn turn, @Nullable Node taken) {
        var cell = turn.cell;
        var companion = cell.companion();
        companion.phase = Companion.Phase.STOPPING;
        Interleave.here();
        if (taken != null) {
            cell.lose(taken, Cause.STOPPED_BEFORE_TURN, null);
        }
        if (companion.inbox != null) {
            for (var node = companion.inbox.pollPassedOver(); node != null; node =
                    companion.inbox.pollPassedOver()) {
                cell.lose(node, Cause.STOPPED_BEFORE_TURN, null);
            }
        }
        cell.closeMailbox(turn.last(), node -> cell.lose(node, Cause.STOPPED_BEFORE_TURN, null));
        if (companion.timers != null) {
            companion.timers.cancelAll();
        }
        Thread.interrupted();
        runHooks(cell);
        turn.leave(true);
        turn.flush();
        Interleave.here();
        tell(cell);
    }

    /**
     * Ends an actor that has nothing to do and nothing to run, on the caller's thread; false if it is not
     * such an actor. Closing a scope of a million idle actors then starts no thread.
     */
    static boolean ofIdle(Cell cell, Reason reason) {
        var companion = cell.companion();
        if (cell.spec().receiving() || companion.hasHooks() || !cell.closeIfIdle()) {
            return false;
        }
        cell.exit(reason);
        companion.phase = Companion.Phase.STOPPING;
        if (companion.timers != null) {
            companion.timers.cancelAll();
        }
        Current.runInside(cell, () -> {
            runHooks(cell); // one may have been added meanwhile
            tell(cell);
        });
        return true;
    }

    private static void runHooks(Cell cell) {
        for (var hook : cell.companion().takeHooks()) {
            runHook(cell, hook);
        }
    }

    static void runHook(Cell cell, Body hook) {
        try {
            hook.run();
        } catch (Throwable failure) {
            cell.report(new Failed(cell.name(), Optional.empty(), failure));
        }
    }

    private static void tell(Cell cell) {
        var companion = cell.companion();
        cell.spec().scope().forget(cell);
        companion.phase = Companion.Phase.STOPPED;
        Interleave.here();
        if (companion.executor instanceof ActorExecutor own) {
            runHook(cell, own::actorStopped);
        }
        var reason = Objects.requireNonNull(companion.exitReason());
        var events = cell.spec().scope().events();
        if (events.hasListeners()) {
            events.lifecycle(new Stopped(cell.name(), reason));
        }
        companion.exited.open();
    }
}
