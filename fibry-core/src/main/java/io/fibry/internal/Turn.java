package io.fibry.internal;

import io.fibry.ActorExitException;
import io.fibry.ActorInterruptedException;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.event.Stopped.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.ClosedByInterruptException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One activation of an actor: handles waiting messages until there are none or its budget is spent.
 *
 * <p>It is made by the sender that found the mailbox idle, and run once: running it takes {@code token} away
 * by an exchange, so an executor that runs it twice, or runs it after having refused it, does no harm.
 */
final class Turn implements Runnable {
    /** Turns deeper than this on one stack go to a thread of their own. */
    private static final int MAX_NESTED = 64;
    private static final int BUDGET_MESSAGES = 1024;
    private static final long BUDGET_NANOS = 1_000_000;
    /** A turn that has handled so many messages without a break is in a stream. */
    private static final int STREAM = 16;
    private static final int LOOKS = 4;
    /** About a microsecond. */
    private static final int SPINS = 50;
    /** A fiber that goes on and on gives its carrier away for real this often. */
    private static final long PASS_NANOS = 5_000_000;
    /** The clock is looked at only this often. A power of two. */
    private static final int CLOCK_INTERVAL = 16;
    private static final VarHandle TOKEN;
    private static final VarHandle HANDLED;

    static {
        try {
            var lookup = MethodHandles.lookup();
            TOKEN = lookup.findVarHandle(Turn.class, "token", Node.class);
            HANDLED = lookup.findVarHandle(Turn.class, "handled", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Cell cell;
    final Behavior behavior;
    private volatile @Nullable Node token;
    /** Whether the token was handled by an earlier turn, which left what comes after it to this one. */
    private boolean isRest;
    /** Set if the strategy refused this turn: messages are then lost instead of handled. */
    private volatile @Nullable Throwable refusal;

    /**
     * The actor's companion, if there is one that matters to the turn. Looking for it in the cell before each
     * message would take the cache line that the senders fight for away from them.
     */
    private volatile @Nullable Companion companion;

    // From here on touched by the running thread only.
    @Nullable Turn outer;
    private int depth;
    /** The node taken last: where the mailbox goes on. */
    private @Nullable Node last;
    /** How many messages the actor has handled in all. Written by the running thread, opaque. */
    private long handled;
    /** How many of them the scope knows of. */
    private long flushed;
    private @Nullable Thread thread;
    private int messages;
    private int nextLook = 1;
    private long since;
    private boolean resubmitting;
    private boolean comesBack;
    private Relay.@Nullable Ticket ticket;
    private boolean hasYielded;
    private long passedAt;

    Turn(Cell cell, Node token) {
        this.cell = cell;
        behavior = cell.behavior;
        this.token = token;
    }

    /** Makes this turn lose the messages instead of handling them. Only before it runs. */
    void refuse(Throwable why) {
        refusal = why;
    }

    @Override
    public void run() {
        var first = (Node) TOKEN.getAndSet(this, (Node) null);
        if (first == null) {
            return;
        }
        var below = Current.turn();
        if (below != null && below.resubmitting && below.cell == cell) {
            // The executor runs tasks where they are submitted. Going on below keeps the stack flat.
            below.comesBack = true;
            return;
        }
        if (below != null && below.depth >= MAX_NESTED) {
            token = first;
            Strategies.FIBER_EXECUTOR.execute(this);
            return;
        }
        if (below == null) {
            runAlone(first);
        } else {
            runNested(below, first);
        }
    }

    private void runAlone(Node first) {
        // The thread may belong to somebody who was interrupted: that is for them, not for our handlers.
        var interrupted = Thread.interrupted();
        Current.enter(this);
        try {
            handleFrom(first);
        } finally {
            if (ticket != null) {
                Relay.INSTANCE.ends(ticket);
            }
            Current.leave(this);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Runs on top of another actor's handler, which cannot be interrupted meanwhile and waits for us. */
    private void runNested(Turn below, Node first) {
        outer = below;
        depth = below.depth + 1;
        below.leave(false);
        var before = below.cell.waiting();
        below.cell.companion().waiting = new Nested(cell);
        try {
            runAlone(first);
        } finally {
            below.cell.companion().waiting = before;
            below.enter();
            if (below.cell.companion().wasInterruptedMeanwhile()) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private record Nested(Cell target) implements Waiting {
        @Override
        public boolean isOver() {
            return false;
        }
    }

    private void handleFrom(Node first) {
        handled = cell.handledSoFar();
        flushed = handled;
        enter();
        last = isRest ? first : cell.first(first);
        var node = isRest ? null : last;
        while (true) {
            // First clear, then look: a forced stop gives its reason before it interrupts, so what is cleared
            // here was meant for what is over, or its reason is seen.
            Thread.interrupted();
            var known = companion;
            if (known != null && known.exitReason() != null) {
                Termination.run(this, node);
                return;
            }
            if (node == null) {
                node = next();
                if (node == null) {
                    return;
                }
            } else {
                handle(node);
                node = null;
            }
        }
    }

    /** The next node, or null if this turn is over: the mailbox is idle, or the rest goes to a later turn. */
    private @Nullable Node next() {
        if (budgetSpent() && !giveWay()) {
            return null;
        }
        var next = poll();
        if (next == null && messages >= STREAM) {
            next = pollPatiently();
        }
        while (next == null) {
            leave(true);
            flush();
            Interleave.here();
            if (cell.becomeIdle(last)) {
                return null;
            }
            enter();
            cell.awaitLink(last);
            next = poll();
        }
        return next;
    }

    /**
     * In a stream of messages the next one is likely to come at once. Waiting for it for a moment is cheaper than
     * to go idle and be started again, for the sender as well, and lets a batch build up. Between two looks it
     * leaves the last node alone: whoever reads what its sender is about to write makes that one wait.
     */
    private @Nullable Node pollPatiently() {
        for (int look = 0; look < LOOKS && !cell.hasNext(last); look++) {
            for (int spin = 0; spin < SPINS; spin++) {
                Thread.onSpinWait();
            }
        }
        return poll();
    }

    /** The next node that is already there: first what a selective receive has passed over. */
    private @Nullable Node poll() {
        var known = companion;
        if (known != null && known.inbox != null) {
            var passedOver = known.inbox.pollPassedOver();
            if (passedOver != null) {
                return passedOver;
            }
        }
        var next = cell.poll(last);
        if (next != null) {
            last = next;
        }
        return next;
    }

    private void handle(Node node) {
        var why = refusal;
        try {
            if (why == null) {
                node.handle(this);
            } else {
                node.refused(this, why);
            }
        } catch (Throwable engineFailure) {
            // Only what our own reporting threw gets here, say a stack overflow in it. The actor goes on.
            cell.spec().scope().events().engineFailure(cell, engineFailure);
        } finally {
            node.clear();
        }
    }

    private boolean budgetSpent() {
        messages++;
        if (messages < nextLook) {
            return false;
        }
        if (messages >= BUDGET_MESSAGES) {
            return true;
        }
        // After 1, 2, 4, 8, 16, and then after every 16th, if there is another one: most turns have one message
        // and never look at the clock.
        nextLook = messages < CLOCK_INTERVAL ? 2 * messages : messages + CLOCK_INTERVAL;
        if (!cell.hasNext(last)) {
            return false;
        }
        var now = cell.spec().scope().time().nanoTime();
        if (since == 0) {
            since = now;
        }
        return now - since > BUDGET_NANOS;
    }

    /** Lets others run. False if the rest of the mailbox is another turn's. */
    private boolean giveWay() {
        messages = 0;
        nextLook = 1;
        since = 0;
        flush();
        return switch (cell.spec().placement().fairness()) {
            case PREEMPTED -> true;
            case YIELDS -> {
                Thread.yield();
                yield true;
            }
            case RELAYS -> {
                yieldOrPass();
                yield true;
            }
            case RESUBMITS -> resubmit(Objects.requireNonNull(last));
        };
    }

    /** Yields, which is cheap, and now and then gives the carrier away for real. */
    private void yieldOrPass() {
        var now = cell.spec().scope().time().nanoTime();
        if (hasYielded && now - passedAt > PASS_NANOS) {
            ticket = Relay.INSTANCE.pass(ticket);
            passedAt = cell.spec().scope().time().nanoTime();
        } else {
            if (!hasYielded) {
                hasYielded = true;
                passedAt = now;
            }
            Thread.yield();
        }
    }

    private boolean resubmit(Node from) {
        leave(true);
        var rest = new Turn(cell, from);
        rest.isRest = true;
        rest.refusal = refusal;
        resubmitting = true;
        cell.submit(rest);
        resubmitting = false;
        if (!comesBack) {
            return false;
        }
        comesBack = false;
        enter();
        return true;
    }

    // What came of a node; called by the node.

    void handled() {
        HANDLED.setOpaque(this, handled + 1);
    }

    void answered(Answer<@Nullable Object> answer, @Nullable Object result) {
        cell.endsAnswer();
        handled();
        answer.complete(result);
    }

    void expired() {
        cell.count(Fates.Kind.EXPIRED);
        cell.finishedOtherwise();
    }

    void skipped() {
        cell.finishedOtherwise();
    }

    void askFailed(Answer<@Nullable Object> answer, Class<?> message, Throwable failure) {
        cell.endsAnswer();
        if (answer.isOver() && cell.spec().interruptOnCancel() && isInterruption(failure)) {
            expired(); // what the canceller wanted, not a failure
            return;
        }
        failed(message, failure);
        answer.completeExceptionally(failure);
    }

    void failed(Class<?> message, Throwable failure) {
        if (endsByExit(failure)) {
            handled();
            return;
        }
        cell.count(Fates.Kind.FAILED);
        cell.finishedOtherwise();
        if (cell.spec().onFailure() instanceof FailurePolicy.Stop) {
            cell.exit(Reason.FAILURE);
        }
        cell.report(new Failed(cell.name(), Optional.of(message), failure));
    }

    private static boolean isInterruption(Throwable failure) {
        return failure instanceof InterruptedException || failure instanceof ActorInterruptedException
                || failure instanceof ClosedByInterruptException;
    }

    /** Whether this is the way in which a receiving actor ends that was asked to. */
    boolean endsByExit(Throwable failure) {
        if (!(failure instanceof ActorExitException)) {
            return false;
        }
        var companion = cell.companionIfAny();
        return companion != null
                && (companion.exitReason() != null
                        || (companion.inbox != null && companion.inbox.isAtPill()));
    }

    /** Adds what was handled to the scope's count: seldom, because that one is shared. */
    void flush() {
        if (handled > flushed) {
            cell.spec().scope().fates().add(Fates.Kind.HANDLED, handled - flushed);
            flushed = handled;
        }
    }

    /** How many messages the actor has handled. Read by any thread. */
    long handledSoFar() {
        return (long) HANDLED.getOpaque(this);
    }

    /** What to interrupt while this turn is the one that the actor shows. Read by any thread. */
    @Nullable Thread thread() {
        return thread;
    }

    /**
     * See {@link Cell#enter}. Whoever gives a reason for the end first gives it, then looks for the turn and
     * shows it the companion; the turn first shows itself, then looks for the companion. One sees the other.
     */
    void enter() {
        thread = Thread.currentThread();
        cell.enter(this);
        Interleave.here();
        var found = cell.companionIfAny();
        if (found != null) {
            companion = found;
        }
    }

    /** Tells the turn of its actor's companion. By any thread. */
    void knows(Companion found) {
        companion = found;
    }

    /** The companion, from now on known to the turn as well. */
    Companion companion() {
        var found = cell.companion();
        companion = found;
        return found;
    }

    /** See {@link Cell#leave}. */
    void leave(boolean clearFlag) {
        cell.leave(handled, clearFlag);
    }

    /** Whether this is what an earlier turn had no budget left for. */
    boolean isRest() {
        return isRest;
    }

    /** Whether this is an actor's body that may wait for messages. */
    boolean isReceivingBody() {
        return token instanceof BodyNode body && body.receives();
    }

    @Nullable Node last() {
        return last;
    }

    /** A receiving handler has taken this node itself. */
    void took(Node node) {
        last = node;
    }
}
