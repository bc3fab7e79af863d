package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Handoff;
import io.fibry.internal.run.Job;
import io.fibry.internal.run.Lane;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.Strategies;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The running of a turn: by which thread, and on top of which other turn.
 *
 * <p>A turn is made by the sender that found the mailbox idle, and runs once. The thread that runs it removes {@code token}
 * by an exchange, so an executor that runs it twice, or runs it after having refused it, does no harm. Lanes need no
 * exchange for a turn that no other thread can have.
 */
public abstract class Activation extends Job {
    /** A turn that would be nested deeper than this runs on a thread of its own: to park, the JDK needs stack for each frame. */
    static final int MAX_NESTED = 32;
    private static final Runner NOWHERE = new Runner(null);
    private static final VarHandle TOKEN =
            FieldAccess.of(MethodHandles.lookup(), "token", Node.class);

    public final Cell cell;
    public final Behavior behavior;
    /**
     * The node with which the turn is to begin; null once a thread runs the turn. Written by the maker; taken
     * by an exchange, or plain on a lane, if no other thread can have the turn.
     */
    private volatile @Nullable Node token;
    /**
     * Whether several threads may have this turn: one that waits for the token's answer, or a lane and its
     * monitor. Set by the asker before it submits the turn, or by the monitor before it takes it. It only
     * becomes true.
     */
    private volatile boolean isShared;

    /** The runner of this turn. The running thread writes it before the actor publishes this turn; any thread reads it. */
    Runner runner = NOWHERE;

    // From here on accessed by the running thread only.
    public @Nullable Turn outer;
    /** The answer that the actor below waits for, if this turn runs on its stack for that answer. */
    @Nullable Answer<?> until;
    /** The edge of the actor below, whatever this turn does. */
    private @Nullable Waiting edgeBelow;
    boolean resubmitting;
    boolean comesBack;
    /** Whether only the lane is below this turn: the lane's next job begins when this turn ends. */
    private boolean isLowest;
    /** The node that another turn has to handle, on another stack than this one. */
    private @Nullable Node leaving;
    /** The node that an earlier turn has left to this one in that way. */
    private @Nullable Node leftToThis;
    /** Whether this turn only represents its actor while code of that actor runs outside its own turn. */
    private boolean isGuest;
    /**
     * Whether this turn runs on top of something that waits for it: an actor on whose stack it runs, or a thread that
     * sends or waits for an answer. What comes after that for which they wait, above all the end of the actor, needs
     * another turn.
     */
    boolean isOnTop;
    /** The clock of the actor's scope, once it was asked for. */
    private @Nullable TimeSource time;

    Activation(Cell cell, Node token) {
        this.cell = cell;
        behavior = cell.behavior;
        TOKEN.set(this, token); // a turn reaches other threads by a release, so this needs no fence
    }

    /** Handles the waiting nodes on the calling thread. Throws nothing. */
    abstract void handleFrom(Node first);

    abstract void enter();

    abstract void leave(boolean clearFlag);

    @Override
    public final boolean isPending() {
        return token != null;
    }

    @Override
    public final boolean isAsked() {
        return token instanceof Asked asked && asked.isAsked();
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
        return cell.givenName();
    }

    @Override
    public final @Nullable String nameForLog() {
        return cell.spec.namesInLog ? cell.name() : null;
    }

    @Override
    public final Class<?> handlerClass() {
        return behavior.handlerClass();
    }

    @Override
    public final @Nullable Handoff handoff() {
        return cell.spec.placement.handoff();
    }

    @Override
    public final Job rehearsal() {
        return new Turn(cell, new StopNode(Reason.EXIT));
    }

    /** Returns whether this turn runs an actor's body that may wait for messages. */
    final boolean isReceivingBody() {
        return token instanceof BodyNode body && body.receives();
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

    /** Returns whether those below have what they wait for: the answer, or the handling of the first node of this turn. */
    final boolean isDoneForThoseBelow() {
        var awaited = until;
        return awaited == null ? outer != null : !awaited.dependsOnTarget();
    }

    @Override
    public boolean mayBeRunByOthers() {
        return isShared;
    }

    /** Runs this turn, if no other thread does, on a thread that waits for this answer, until the answer is complete. */
    void runUntil(Answer<?> answer) {
        var first = claim();
        if (first != null) {
            until = answer;
            run(first);
        }
    }

    /** Runs this turn on top of a lane's turn, which waits for this answer, until the answer is complete. */
    void runOnTop(Turn below, Answer<?> answer) {
        var first = claimOnLane();
        if (first != null) {
            until = answer;
            runNested(below, first);
        }
    }

    /** Claims the right to run this turn; the first caller gets the token, others get null. */
    private @Nullable Node claim() {
        // mutant: turn-runs-twice
        return token == null ? null : (Node) TOKEN.getAndSet(this, (Node) null);
    }

    /** As {@link #claim}, for a lane. A lane gets each turn once, and no other thread has a turn that is not shared. */
    private @Nullable Node claimOnLane() {
        // mutant: lane-does-not-see-a-shared-turn
        if (isShared) {
            return claim();
        }
        var first = token;
        assert Interleave.here();
        TOKEN.setOpaque(this, (Node) null);
        return first;
    }

    private void run(Node first) {
        var here = Current.runner();
        var below = here == null ? null : Current.turnOn(here);
        if (below != null && below.resubmitting && below.cell == cell) {
            // The executor runs tasks where they are submitted. Going on in the turn below keeps the stack flat.
            below.comesBack = true;
            return;
        }
        if (below != null && (below.depth() >= MAX_NESTED || cell.spec.ownStack
                || below.cell.spec.ownStack)) {
            isShared = true; // an executor may run this once more
            token = first;
            Strategies.FIBER_EXECUTOR.execute(this);
            return;
        }
        if (below != null) {
            noteAwaitedAnswer(first);
            runNested(below, first);
        } else if (here == null) {
            var runner = until == null ? new Runner(Thread.currentThread()) : Runner.lent();
            runner.adopt();
            try {
                runOnForeignThread(first, runner);
            } finally {
                Runner.leave();
                runner.end();
            }
        } else if (here.isLent) {
            noteAwaitedAnswer(first);
            runOnForeignThread(first, here);
        } else {
            runAlone(first, here);
        }
    }

    /** Notes that those below wait for an answer until it is complete, if this turn is started for one. */
    private void noteAwaitedAnswer(Node first) {
        if (until == null && first instanceof Asked asked) {
            until = asked.answer();
        }
    }

    /** The thread may have been interrupted before: the interrupt is for its owner, not for the handlers of the actor. */
    private void runOnForeignThread(Node first, Runner runner) {
        var interrupted = Thread.interrupted();
        isOnTop = runner.isLent;
        try {
            runAlone(first, runner);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void runAlone(Node first, Runner here) {
        var logContext = LogContext.IS_PRESENT ? LogContext.putAside() : null;
        runner = here;
        here.job = this;
        try {
            if (LogContext.IS_PRESENT) {
                LogContext.begin(this);
            }
            handleFrom(first);
        } finally {
            var below = outer;
            here.job = below;
            if (below != null) {
                here.leaveNested(cell);
            }
            if (LogContext.IS_PRESENT) {
                LogContext.restore(logContext);
            }
        }
    }

    /** Runs this turn on top of another actor's handler, which waits for it and cannot be interrupted in the meantime. */
    private void runNested(Turn below, Node first) {
        outer = below;
        isOnTop = true;
        if (below.isGuest()) {
            var standIn = below.standIn();
            if (standIn == null) {
                runAlone(first, below.runner);
            } else {
                edgeBelow = below.cell.waiting();
                holdUpBelow();
                var interrupted = standIn.beginLoan();
                try {
                    runAlone(first, standIn);
                } finally {
                    standIn.endLoan(interrupted);
                    standIn.publish(below.cell, edgeBelow);
                }
            }
            return;
        }
        below.leave(false);
        var interrupted = Thread.interrupted(); // for example by the actor below itself
        edgeBelow = below.cell.waiting();
        holdUpBelow();
        try {
            runAlone(first, below.runner);
        } finally {
            restoreEdge(below.cell.extendedState());
            below.enter();
            if (interrupted || below.cell.extendedState().wasInterruptedMeanwhile()) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The actor below waits for what it waited for before. Mostly its edge says that already, and needs no write. */
    private void restoreEdge(ExtendedState below) {
        if (below.waiting != edgeBelow) {
            below.waiting = edgeBelow;
        }
    }

    /** Returns whether a node that does not fit this stack can be left to another turn: it was not yet. */
    public final boolean mayLeave(Node node) {
        return node != leftToThis;
    }

    /** Leaves a node to a turn on another stack, which handles {@code moved} next. Both nodes are the same message. */
    public final void leaveForAnotherStack(Node moved, Node node) {
        moved.seq = node.seq;
        Receiving.inside((Turn) this).inbox().putBackForAnotherStack(moved);
        leaving = moved;
    }

    final boolean isLeaving() {
        return leaving != null;
    }

    /** Passes the node that was left to the turn that takes the rest of the mailbox. */
    final void passLeftTo(Activation rest) {
        rest.leftToThis = leaving;
    }

    /**
     * Returns the clock of the scope, which is looked up once: between two messages a turn keeps away from its actor, for
     * whose cache line the senders compete.
     */
    public final TimeSource time() {
        var known = time;
        if (known == null) {
            known = cell.spec.scope.time();
            time = known;
        }
        return known;
    }

    /** Returns the thread to interrupt while the actor publishes this turn. Read by any thread. */
    @Nullable Thread thread() {
        return runner.thread();
    }

    /** Returns how many turns are below this one. */
    int depth() {
        var depth = 0;
        for (var below = outer; below != null; below = below.outer) {
            depth++;
        }
        return depth;
    }

    /**
     * Publishes that all actors below are held up. This turn is about to wait: the actors below cannot go on before it
     * does, even if what they wait for is completed or given up in the meantime. Only this method publishes that, since
     * most turns never wait.
     */
    final void holdUpAllBelow() {
        var above = cell;
        for (var below = outer; below != null; below = below.outer) {
            if (below.isGuest()) {
                var standIn = below.standIn(); // no other turn is below a stand-in
                if (standIn != null && standIn.beginInsideIfHeld()) {
                    try {
                        holdUp(below.cell, above);
                    } finally {
                        standIn.endInside();
                    }
                }
                return;
            }
            holdUp(below.cell, above);
            above = below.cell;
        }
    }

    private static void holdUp(Cell held, Cell above) {
        if (!(held.extendedState().waiting instanceof NestedEdge)) {
            held.extendedState().waiting = new NestedEdge(above);
        }
    }

    /**
     * Publishes that the actor below waits until this turn ends, unless its edge is the answer that this turn is to give.
     */
    final void holdUpBelow() {
        var below = outer;
        if (below == null || (until != null && edgeBelow == until)) {
            return;
        }
        var standIn = below.standIn();
        if (standIn != null) {
            standIn.publish(below.cell, new NestedEdge(cell));
        } else if (!below.isGuest()) {
            below.cell.extendedState().waiting = new NestedEdge(cell);
        }
    }

    /**
     * Publishes that the actor below is no longer held up: its upper actor is about to belong to another turn, which
     * may ask the one below. Should this turn go on after all, and wait, it publishes the edge again.
     */
    final void releaseBelow() {
        var below = outer;
        if (below == null) {
            return;
        }
        var standIn = below.standIn();
        if (standIn != null) {
            if (below.cell.waiting() instanceof NestedEdge) {
                standIn.publish(below.cell, edgeBelow);
            }
        } else if (!below.isGuest()) {
            restoreEdgeOf(below.cell);
        }
    }

    private void restoreEdgeOf(Cell below) {
        // mutant: actor-holds-up-another-after-it-has-left-its-stack
        if (below.waiting() instanceof NestedEdge) {
            below.extendedState().waiting = edgeBelow;
        }
    }

    /** Makes this turn a guest: code of the actor runs on this runner outside a turn of the actor. */
    public void visit(Runner here) {
        runner = here;
        isGuest = true;
    }

    @Override
    public boolean isGuest() {
        return isGuest;
    }

    /**
     * Returns the stand-in on which this guest represents its actor; null if there is none. Called by the running thread.
     */
    final @Nullable StandIn standIn() {
        return isGuest && runner instanceof StandIn mine && mine.isStoodForBy(this) ? mine : null;
    }

    @Override
    public final boolean isGone() {
        var standIn = standIn();
        return standIn != null && standIn.isAbandoned();
    }

    /** Returns the turn below this one, unless its actor has gone on without the thread. Called by the running thread. */
    final @Nullable Turn heldBelow() {
        var below = outer;
        return below == null || below.isGone() ? null : below;
    }

    /** Returns the ask with a time limit that the handler works on; null if there is none. Called by the running thread. */
    final @Nullable TimedAnswer<?> deadline() {
        var standIn = standIn();
        if (standIn != null) {
            return standIn.deadline();
        }
        var extended = cell.extendedStateIfAny();
        return extended == null ? null : extended.deadline;
    }

    /** Sets the ask with a time limit that the handler works on. */
    final void deadline(@Nullable TimedAnswer<?> deadline) {
        var standIn = standIn();
        if (standIn == null) {
            cell.extendedState().deadline = deadline;
        } else {
            standIn.deadline(deadline);
        }
    }
}
