package io.fibry.internal.actor;

import io.fibry.ActorExecutor;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered.Cause;
import io.fibry.function.Body;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Strategies;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The end of an actor, always in this order: the mailbox is closed and what is in it reported; features end; children
 * end; exit hooks run; the name is free; listeners and waiters are told; scope and parent forget it. Nothing that code
 * of the user throws on the way stops the rest.
 */
public final class Termination {
    private Termination() {
    }

    /** Ends the actor at the end of its last turn. {@code taken} was taken from the mailbox, not handled. */
    static void run(Turn turn, ExtendedState extended, @Nullable Node taken) {
        // mutant: actor-ends-on-the-stack-of-its-asker
        if (turn.isOnTop()) {
            turn.endElsewhere(taken);
            return;
        }
        var cell = turn.cell;
        markStopping(cell, extended);
        assert Interleave.here();
        leaveOldest(cell, extended);
        // mutant: message-taken-before-the-end-is-lost
        var unhandled = taken == null ? extended.taken : taken;
        if (unhandled != null) {
            extended.taken = null;
            leave(cell, unhandled);
        }
        var front = extended.front;
        if (front != null) {
            for (var node = front.poll(); node != null; node = front.poll()) {
                // mutant: message-passed-over-is-lost
                leave(cell, node);
            }
        }
        assert front == null || !front.hasAhead() || Interleave.here();
        // mutant: idle-stop-closes-the-mailbox-twice
        if (!extended.isMailboxClosed) {
            cell.closeMailbox(turn.last, new Leaving(cell));
        }
        leaveLast(cell, extended);
        stopping(extended);
        endOthers(cell, extended);
        Thread.interrupted();
        // mutant: name-is-free-before-the-hooks, waiters-are-told-before-the-hooks
        runHooks(cell, extended);
        turn.unpublish(true);
        // mutant: last-turn-keeps-its-count
        turn.flush();
        assert Interleave.here();
        tell(cell, extended);
    }

    /**
     * Marks the actor as one that takes no more messages. Senders that wait for space in its scope to send to it see
     * this.
     */
    private static void markStopping(Cell cell, ExtendedState extended) {
        extended.phase = ExtendedState.Phase.STOPPING;
        var budget = cell.spec.scope.budget();
        if (budget != null) {
            budget.wakeSendersTo(cell);
        }
    }

    /**
     * Leaves a node that was not handled to a successor, if there may be one, and if it may handle the node. Otherwise its
     * message is lost: the sender of held code may be a member for whose end the group waits before it makes the successor.
     */
    private static void leave(Cell cell, Node node) {
        var inheritance = cell.spec.inheritance;
        var code = node instanceof MessageNode message ? message.code() : null;
        if (inheritance == null || (code != null && code.isHeldFor())) {
            cell.lose(node, Cause.STOPPED_BEFORE_TURN, null);
        } else {
            inheritance.add(cell, node);
        }
    }

    /** Leaves the messages of features that are older than all in the mailbox. */
    private static void leaveOldest(Cell cell, ExtendedState extended) {
        for (var each : extended.features()) {
            // mutant: message-put-aside-is-lost-at-the-end
            each.leaveOldest(new Leaving(cell));
        }
    }

    /** Leaves the messages of features that came beside the mailbox until it was closed. */
    private static void leaveLast(Cell cell, ExtendedState extended) {
        for (var each : extended.features()) {
            // mutant: urgent-message-is-forgotten-at-the-end
            each.leaveLast(new Leaving(cell));
        }
    }

    private static void stopping(ExtendedState extended) {
        for (var each : extended.features()) {
            each.stopping();
        }
    }

    private record Leaving(Cell cell) implements Consumer<Node> {
        @Override
        public void accept(Node node) {
            leave(cell, node);
        }
    }

    private record StopNotice(Feature feature) implements Body {
        @Override
        public void run() {
            feature.stopped();
        }
    }

    private record Inside(Cell cell, Runnable code) implements Runnable {
        @Override
        public void run() {
            Current.runInside(cell, code);
        }
    }

    private record EndOfParent(Cell cell, ExtendedState extended) implements Runnable {
        @Override
        public void run() {
            endOthers(cell, extended);
            runHooks(cell, extended);
            tell(cell, extended);
        }
    }

    private record EndWithHooks(Cell cell, ExtendedState extended, List<Body> hooks) implements Runnable {
        @Override
        public void run() {
            // mutant: idle-actor-ends-without-its-hooks
            runAll(cell, hooks);
            tell(cell, extended);
        }
    }

    private record EndOfUnmade(Cell cell, ExtendedState extended, List<Body> hooks) implements Runnable {
        @Override
        public void run() {
            runAll(cell, hooks);
            free(cell, extended);
            // mutant: waiters-for-an-actor-not-made-with-hooks-are-not-told
            tellWaiters(cell, extended);
        }
    }

    /**
     * Ends the actor on the thread of the caller, which may be an actor. Code of the user runs on a stack of its own
     * only.
     */
    private static void endInside(Cell cell, ExtendedState extended) {
        if (extended.hasChildren()) {
            Strategies.FIBER_EXECUTOR.execute(new Inside(cell, new EndOfParent(cell, extended)));
            return;
        }
        endOthers(cell, extended);
        var late = extended.takeHooks(); // added since it was asked to end
        if (late.isEmpty()) {
            Current.runInside(cell, new EndWithHooks(cell, extended, late));
        } else {
            Strategies.FIBER_EXECUTOR.execute(new Inside(cell, new EndWithHooks(cell, extended, late)));
        }
    }

    /** Ends what others have of the actor: its children and its watches. */
    private static void endOthers(Cell cell, ExtendedState extended) {
        var supervision = extended.supervision;
        if (supervision != null) {
            assert Interleave.here();
            supervision.stopChildren(cell, extended.exitReason);
            supervision.unwatchAll();
        }
    }

    /**
     * Ends an actor that has nothing to do and nothing to run, on the thread of the caller. Returns false if this is
     * not such an actor. So the close of a scope with a million idle actors starts no thread.
     */
    public static boolean ofIdle(Cell cell, ExtendedState extended, Reason reason) {
        if (!cell.spec.mayRunOnCaller || extended.hasHooks() || extended.hasChildren()
                || extended.owesReplies()) {
            return false;
        }
        assert Interleave.here();
        if (!cell.closeIfIdle()) {
            return false;
        }
        cell.setExitReason(reason);
        markStopping(cell, extended);
        leaveOldest(cell, extended);
        stopping(extended);
        endInside(cell, extended);
        return true;
    }

    /**
     * Ends an actor that could not be made, on the thread of its maker. {@code opening} is the node that keeps its
     * mailbox busy. No turn has run. The hooks of its maker, which are the first ones, do not run, and only threads
     * that have found the actor in the meantime are told.
     */
    public static void ofUnmade(Cell cell, @Nullable Node opening, int ownHooks) {
        var extended = cell.extendedState();
        cell.setExitReason(Reason.EXIT);
        markStopping(cell, extended);
        assert Interleave.here();
        if (opening == null) {
            cell.closeIfIdle();
        } else {
            // mutant: inherited-messages-of-an-actor-not-made-are-lost
            cell.closeMailbox(opening, new Leaving(cell));
        }
        leaveLast(cell, extended);
        stopping(extended);
        var hooks = extended.takeHooks();
        // mutant: hooks-run-of-an-actor-not-made
        var others = hooks.subList(ownHooks, hooks.size());
        if (others.isEmpty()) {
            free(cell, extended);
            // mutant: waiters-for-an-actor-not-made-are-not-told
            tellWaiters(cell, extended);
        } else {
            Strategies.FIBER_EXECUTOR.execute(new Inside(cell, new EndOfUnmade(cell, extended, others)));
        }
    }

    private static void runHooks(Cell cell, ExtendedState extended) {
        for (var hook : extended.takeHooks()) {
            // mutant: exit-hooks-run-twice
            runHook(cell, hook);
        }
    }

    private static void runAll(Cell cell, List<Body> hooks) {
        for (var hook : hooks) {
            runHook(cell, hook);
        }
    }

    public static void runHook(Cell cell, Body hook) {
        try {
            hook.run();
        } catch (Throwable failure) {
            cell.report(Failed.in(partOf(hook), cell.name(), failure));
        }
    }

    /** Tells a strategy's executor that its actor has stopped. */
    static void tell(Cell cell, ActorExecutor own) {
        try {
            own.actorStopped();
        } catch (Throwable failure) {
            cell.report(Failed.in(Failed.Part.EXECUTOR, cell.name(), failure));
        }
    }

    private static Failed.Part partOf(Body hook) {
        return hook instanceof ClosingHook ? Failed.Part.CLOSE : Failed.Part.EXIT_HOOK;
    }

    private static void tell(Cell cell, ExtendedState extended) {
        // mutant: actor-is-unlisted-before-its-end-is-told
        free(cell, extended);
        var events = cell.spec.scope.events();
        var supervision = extended.supervision;
        if (supervision != null) {
            supervision.reportEscalation(cell);
        }
        if (events.hasListeners()) {
            events.lifecycle(how(cell));
        }
        for (var each : extended.features()) {
            runHook(cell, new StopNotice(each));
        }
        tellWaiters(cell, extended);
    }

    /** Frees the name of an actor whose exit hooks have run, and marks the actor as stopped. */
    private static void free(Cell cell, ExtendedState extended) {
        if (cell.givenName() != null) {
            cell.spec.scope.freeName(cell);
        }
        extended.phase = ExtendedState.Phase.STOPPED;
        var inheritance = cell.spec.inheritance;
        if (inheritance != null) {
            // mutant: end-of-a-member-closes-a-cycle-unseen
            cell.spec.scope.services().cycles().leftToSuccessor(cell, inheritance);
        }
        assert Interleave.here();
        if (extended.executor instanceof ActorExecutor own) {
            tell(cell, own);
        }
    }

    /**
     * Releases the threads that wait for the end, and tells the watchers. The actor stays on the lists until its
     * watchers have their messages. Otherwise a thread that waits until the scope is at rest could find a watcher idle
     * that is about to get its message.
     */
    private static void tellWaiters(Cell cell, ExtendedState extended) {
        cell.dropReferences();
        extended.dropReferences();
        // mutant: watchers-are-told-before-the-end
        extended.exited.open();
        assert Interleave.here();
        var known = extended.supervision;
        try {
            if (known != null) {
                known.tell(cell, how(cell));
            }
        } finally {
            extended.exited.finish();
            unlist(cell);
        }
    }

    /**
     * Removes an actor from the lists of its scope and its parent, after its waiters were released. Until then a thread
     * that closes the scope, and the parent that ends, find the actor and wait for it. A thread that reads a
     * list ignores the entry of an actor that has exited.
     */
    private static void unlist(Cell cell) {
        assert Interleave.here();
        cell.spec.scope.forget(cell);
        var parent = cell.spec.parent;
        if (parent != null) {
            parent.supervision().removeChild(cell);
        }
    }

    /** How an actor that has stopped came to its end. */
    public static Stopped how(Cell cell) {
        return new Stopped(cell.name(), Objects.requireNonNull(cell.extendedState().exitReason));
    }
}
