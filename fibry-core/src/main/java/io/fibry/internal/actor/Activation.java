package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Job;
import io.fibry.internal.run.Lane;
import io.fibry.internal.run.Placement.Fairness;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.Strategies;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The running of a turn: by whom, on which thread, on top of what.
 *
 * <p>A turn is made by the sender that found the mailbox idle, and run once: running it takes {@code token} away
 * by an exchange, so an executor that runs it twice, or runs it after having refused it, does no harm. Lanes need none
 * for a turn that they alone have.
 */
public abstract class Activation extends Job {
    /** Turns deeper than this on one stack go to a thread of their own. */
    private static final int MAX_NESTED = 64;
    private static final Runner NOWHERE = new Runner(null);
    private static final VarHandle TOKEN =
            FieldAccess.of(MethodHandles.lookup(), "token", Node.class);

    public final Cell cell;
    public final Behavior behavior;
    private volatile @Nullable Node token;
    /** Whether more than one may have this turn to run it: who waits for the token's answer, or a lane and its monitor. */
    private volatile boolean isShared;

    /** Where it runs. Written by the running thread before the actor shows this turn; then read by any. */
    Runner strand = NOWHERE;

    // From here on touched by the running thread only.
    public @Nullable Turn outer;
    /** The answer that the actor below waits for, if this turn runs on its stack for that. */
    @Nullable Answer<?> until;
    /** What that actor waits for, whatever this turn does. */
    private @Nullable Waiting edgeBelow;
    boolean resubmitting;
    boolean comesBack;
    /** Whether nothing but its lane is below this one: what is next there begins when this ends. */
    private boolean isLowest;
    /** What another turn is to handle, on another stack than this one. */
    private @Nullable Node leaving;
    /** What was left to this turn in that way. */
    private @Nullable Node leftToThis;
    /** Whether this only stands for its actor while that runs code outside of a turn. */
    private boolean isGuest;
    /** Whether somebody waits below: another actor, or a thread that has lent itself. */
    private boolean isOnTop;
    /** The clock of the actor's scope, once it was asked for. */
    private @Nullable TimeSource time;

    Activation(Cell cell, Node token) {
        this.cell = cell;
        behavior = cell.behavior();
        TOKEN.set(this, token); // whoever gets this turn gets it by a release, so this needs no fence
    }

    /** Handles what there is, on the thread that this runs on now. Throws nothing. */
    abstract void handleFrom(Node first);

    abstract void enter();

    abstract void leave(boolean clearFlag);

    /** What it began, or is to begin, with; null once somebody runs it. */
    final @Nullable Node token() {
        return token;
    }

    @Override
    public final boolean isPending() {
        return token != null;
    }

    @Override
    public final boolean isAsked() {
        return token() instanceof Asked asked && asked.isAsked();
    }

    @Override
    public final @Nullable Turn below() {
        return outer;
    }

    @Override
    public final Object owner() {
        return cell;
    }

    @Override
    public final String ownerName() {
        return cell.name();
    }

    @Override
    public final @Nullable String givenName() {
        return cell.spec().name();
    }

    @Override
    public final @Nullable String nameForLog() {
        return cell.spec().namesInLog() ? cell.name() : null;
    }

    @Override
    public final Class<?> handlerClass() {
        return behavior.handlerClass();
    }

    @Override
    public final Fairness fairness() {
        return cell.spec().placement().fairness();
    }

    @Override
    public final Job rehearsal() {
        return new Turn(cell, new StopNode(Reason.EXIT));
    }

    /** Whether this is an actor's body that may wait for messages. */
    final boolean isReceivingBody() {
        return token() instanceof BodyNode body && body.receives();
    }

    @Override
    public void run() {
        var first = claim();
        if (first != null) {
            run(first);
        }
    }

    @Override
    public void runOn(Lane lane) {
        var first = claimOnLane();
        if (first != null) {
            isLowest = true;
            runAlone(first, lane);
        }
    }

    @Override
    public void markShared() {
        isShared = true;
    }

    @Override
    public boolean isLowest() {
        return isLowest;
    }

    /**
     * Whether somebody below waits for this turn: an actor on whose stack it runs, or a thread that sends or waits for an
     * answer. What comes after that for which they wait, the end of the actor above all, is for a turn of its own.
     */
    final boolean isOnTop() {
        return isOnTop;
    }

    /** Whether those below have what they wait for: the answer, or that what this was started for is handled. */
    final boolean isDoneForThoseBelow() {
        var awaited = until;
        return awaited == null ? outer != null : awaited.isOver();
    }

    @Override
    public boolean mayBeRunByOthers() {
        return isShared;
    }

    /** Runs, if nobody else does, on the thread of somebody who waits for this answer, until it is there. */
    void runUntil(Answer<?> answer) {
        var first = claim();
        if (first != null) {
            until = answer;
            run(first);
        }
    }

    /** Runs on top of this turn of a lane, which waits for this answer, until it is there. */
    void runOnTop(Turn below, Answer<?> answer) {
        var first = claimOnLane();
        if (first != null) {
            until = answer;
            runNested(below, first);
        }
    }

    /** The right to run this turn: whoever comes first has it. */
    private @Nullable Node claim() {
        // mutant: turn-runs-twice
        return token == null ? null : (Node) TOKEN.getAndSet(this, (Node) null);
    }

    /** The same by a lane, which gets each turn once: nobody else has one that is not shared. */
    private @Nullable Node claimOnLane() {
        // mutant: lane-does-not-see-a-shared-turn
        if (isShared) {
            return claim();
        }
        var first = token;
        Interleave.here();
        TOKEN.setOpaque(this, (Node) null);
        return first;
    }

    private void run(Node first) {
        var here = Current.strand();
        var below = here == null ? null : Current.turnOn(here);
        if (below != null && below.resubmitting && below.cell == cell) {
            // The executor runs tasks where they are submitted. Going on below keeps the stack flat.
            below.comesBack = true;
            return;
        }
        if (below != null && (below.depth() >= MAX_NESTED || cell.spec().ownStack()
                || below.cell.spec().ownStack())) {
            isShared = true; // an executor may run this once more
            token = first;
            Strategies.FIBER_EXECUTOR.execute(this);
            return;
        }
        if (below != null) {
            awaitsAnswerOf(first);
            runNested(below, first);
        } else if (here == null) {
            var strand = until == null ? new Runner(Thread.currentThread()) : Runner.lent();
            strand.adopt();
            try {
                runOnForeignThread(first, strand);
            } finally {
                Runner.leave();
                strand.end();
            }
        } else if (here.isLent) {
            awaitsAnswerOf(first);
            runOnForeignThread(first, here);
        } else {
            runAlone(first, here);
        }
    }

    /** Runs where it is started: if that is for an answer, those below wait until it is there. */
    private void awaitsAnswerOf(Node first) {
        if (until == null && first instanceof Asked asked) {
            until = asked.answer();
        }
    }

    /** The thread may belong to somebody who was interrupted: that is for them, not for our handlers. */
    private void runOnForeignThread(Node first, Runner strand) {
        var interrupted = Thread.interrupted();
        isOnTop = strand.isLent;
        try {
            runAlone(first, strand);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void runAlone(Node first, Runner here) {
        var logContext = LogContext.putAside();
        strand = here;
        here.job = this;
        try {
            LogContext.begin(this);
            handleFrom(first);
        } finally {
            var below = outer;
            here.job = below;
            if (below != null) {
                here.leaveNested(cell);
            }
            LogContext.restore(logContext);
        }
    }

    /** Runs on top of another actor's handler, which cannot be interrupted meanwhile and waits for us. */
    private void runNested(Turn below, Node first) {
        outer = below;
        isOnTop = true;
        if (below.isGuest()) {
            var standIn = below.standIn();
            if (standIn == null) {
                runAlone(first, below.strand);
            } else {
                edgeBelow = below.cell.waiting();
                holdUpBelow();
                try {
                    standIn.lend(() -> runAlone(first, standIn));
                } finally {
                    standIn.insideIfAny(() -> below.cell.extendedState().waiting = edgeBelow);
                }
            }
            return;
        }
        below.leave(false);
        var interrupted = Thread.interrupted(); // by the lower one itself, say
        edgeBelow = below.cell.waiting();
        holdUpBelow();
        try {
            runAlone(first, below.strand);
        } finally {
            restoreEdge(below.cell.extendedState());
            below.enter();
            if (interrupted || below.cell.extendedState().wasInterruptedMeanwhile()) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The actor below waits for what it did before: mostly that is what it says already. */
    private void restoreEdge(ExtendedState below) {
        if (below.waiting != edgeBelow) {
            below.waiting = edgeBelow;
        }
    }

    /** Whether a node that does not fit here can be left to another turn: it was not yet. */
    public final boolean mayLeave(Node node) {
        return node != leftToThis;
    }

    /** The node is not to be handled on this stack: this one, which is the same, is handled next, by a turn on another. */
    public final void leaveForAnotherStack(Node moved, Node node) {
        moved.seq = node.seq;
        Receiving.inside((Turn) this).inbox().putBack(moved);
        leaving = moved;
    }

    final boolean isLeaving() {
        return leaving != null;
    }

    /** The rest of the mailbox goes to this turn, and what is left to it. */
    final void passLeftTo(Activation rest) {
        rest.leftToThis = leaving;
    }

    /** Looked up once: between two messages a turn keeps away from its actor, whose cache line the senders fight for. */
    public final TimeSource time() {
        var known = time;
        if (known == null) {
            known = cell.spec().scope().time();
            time = known;
        }
        return known;
    }

    /** What to interrupt while this turn is the one that the actor shows. Read by any thread. */
    @Nullable Thread thread() {
        return strand.thread();
    }

    /** How many turns are below this one. */
    int depth() {
        var depth = 0;
        for (var below = outer; below != null; below = below.outer) {
            depth++;
        }
        return depth;
    }

    /**
     * This turn is about to wait: the actors below it cannot go on before it does, even if what they wait for comes, or
     * is given up, in the meantime. Said only here, since most turns never wait.
     */
    final void holdUpAllBelow() {
        var above = cell;
        for (var below = outer; below != null; below = below.outer) {
            if (below.isGuest()) {
                var standIn = below.standIn(); // nothing is below that
                if (standIn != null) {
                    var upper = above;
                    var held = below.cell;
                    standIn.insideIfAny(() -> holdUp(held, upper));
                }
                return;
            }
            holdUp(below.cell, above);
            above = below.cell;
        }
    }

    private static void holdUp(Cell held, Cell above) {
        if (!(held.extendedState().waiting instanceof Nested)) {
            held.extendedState().waiting = new Nested(above);
        }
    }

    /** Unless the actor below has said that it waits for an answer, it waits until this turn is over. */
    final void holdUpBelow() {
        var below = outer;
        if (below == null || (until != null && edgeBelow == until)) {
            return;
        }
        var standIn = below.standIn();
        if (standIn != null) {
            standIn.insideIfAny(() -> below.cell.extendedState().waiting = new Nested(cell));
        } else if (!below.isGuest()) {
            below.cell.extendedState().waiting = new Nested(cell);
        }
    }

    /**
     * The actor is about to be another turn's, which may ask the one below: that is no longer held up. Should this turn
     * go on after all, and wait, it says so again.
     */
    final void releaseBelow() {
        var below = outer;
        if (below == null) {
            return;
        }
        var standIn = below.standIn();
        if (standIn != null) {
            standIn.insideIfAny(() -> restoreEdgeOf(below.cell));
        } else if (!below.isGuest()) {
            restoreEdgeOf(below.cell);
        }
    }

    private void restoreEdgeOf(Cell below) {
        // mutant: actor-holds-up-another-after-it-has-left-its-stack
        if (below.waiting() instanceof Nested) {
            below.extendedState().waiting = edgeBelow;
        }
    }

    /** Code of the actor that is not a turn of it runs on this strand. */
    public void visit(Runner here) {
        strand = here;
        isGuest = true;
    }

    @Override
    public boolean isGuest() {
        return isGuest;
    }

    /** The stand-in on which this stands for its actor; null if it is a turn, or a guest elsewhere. By the running thread. */
    final @Nullable StandIn standIn() {
        return isGuest && strand instanceof StandIn mine && mine.isStoodForBy(this) ? mine : null;
    }

    @Override
    public final boolean isGone() {
        var standIn = standIn();
        return standIn != null && standIn.isAbandoned();
    }

    /** Returns what runs below this one, unless its actor has gone on without it. By the running thread. */
    final @Nullable Turn heldBelow() {
        var below = outer;
        return below == null || below.isGone() ? null : below;
    }

    /** Until when the handler has time: the ask that it works on, if that has a limit. By the running thread. */
    final @Nullable TimedAnswer<?> deadline() {
        var standIn = standIn();
        if (standIn != null) {
            return standIn.deadline();
        }
        var companion = cell.extendedStateIfAny();
        return companion == null ? null : companion.deadline;
    }

    /** Says so. */
    final void deadline(@Nullable TimedAnswer<?> deadline) {
        var standIn = standIn();
        if (standIn == null) {
            cell.extendedState().deadline = deadline;
        } else {
            standIn.deadline(deadline);
        }
    }

    public record Nested(Cell target) implements Waiting {
        @Override
        public boolean isOver() {
            return false;
        }
    }
}
