package io.fibry.internal.actor;

import io.fibry.ActorExitException;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.event.Stopped.Reason;
import io.fibry.function.Body;
import io.fibry.internal.actor.Services.Recovery;
import io.fibry.internal.actor.Waiting.NestedEdge;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.report.Fates;
import io.fibry.internal.run.Handoff;
import io.fibry.internal.run.Job;
import io.fibry.internal.run.Lane;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.Strategies;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One activation of an actor. It handles the waiting messages until there are none or its budget is spent.
 *
 * <p>A turn is made by the sender that found the mailbox idle, or by an earlier turn that has left the actor, and runs once.
 * Its states, of which only QUEUED is stored, as a token that is not null, and who makes each transition:
 *
 * <pre>
 *   QUEUED  -> RUNNING   the thread that takes the token: that of an executor, a lane, or one that waits for the answer to the first
 *                        node. By an exchange, so an executor that runs the turn twice, or runs it after having refused it, does no
 *                        harm; plain on a lane, if no other thread can have the turn
 *   QUEUED  -> QUEUED    the thread that has taken the token, if the turn does not fit its stack: it puts the token back for a fiber
 *   QUEUED  -> DONE      the thread that has taken the token, if the executor runs the turn on the stack of the one before: that goes on
 *   RUNNING -> DONE      the running thread: it has made the mailbox idle, or has ended the actor
 *   RUNNING -> LEFT      the running thread: another turn takes the rest of the mailbox, since the budget is spent, a pause begins,
 *                        the strategy has refused this turn, those below have what they wait for, or what comes next does not fit this stack
 * </pre>
 *
 * <p>Why nothing is lost:
 * <ul>
 * <li><i>No message and no wake-up.</i> Only the running thread makes the mailbox of a published actor idle, by a CAS that
 *     fails if a node has come. While the mailbox is neither idle nor closed, exactly one turn of the actor is queued, running
 *     or about to be submitted: one that is left makes the next one, with the position in the mailbox, before it is LEFT.
 * <li><i>No request to end.</i> A turn first publishes itself in its cell, then reads the extended state; a thread that
 *     wants the end first sets the reason, then reads the published turn and attaches the extended state to it. One of
 *     the two sees the other. The reason is read before each node.
 * <li><i>No interrupt, and none in the wrong place.</i> Before each node the flag is cleared, and then the reason is
 *     read; a forced stop sets its reason before it interrupts. At the end, and while another turn runs on top, the
 *     turn is not published: see {@link Interrupts}.
 * </ul>
 *
 * <p>A turn on top of something that waits for it (another actor's handler, or a thread that sends or waits for an answer) is
 * {@link Stacked}. When those below have what they wait for, the rest, above all the end of the actor, needs another turn.
 */
public final class Turn extends Job {
    /** A turn that would be nested deeper than this runs on a thread of its own: a park takes stack for each frame. */
    static final int MAX_NESTED = 32;
    private static final int BUDGET_MESSAGES = 1024;
    private static final long BUDGET_NANOS = 1_000_000;
    /** The number of messages between two readings of the clock. A power of two. */
    private static final int CLOCK_INTERVAL = 16;
    private static final Runner NOWHERE = new Runner(null);
    private static final VarHandle TOKEN =
            FieldAccess.of(MethodHandles.lookup(), "token", Node.class);
    private static final VarHandle HANDLED =
            FieldAccess.of(MethodHandles.lookup(), "handled", long.class);

    /**
     * What a turn has that runs on top of something that waits for it.
     *
     * @param below the turn of the actor on whose stack it runs; null if a thread waits that runs no actor
     * @param until of an ask, the answer for which those below wait; null for a tell: one from an actor ends the turn
     *     when the first node is handled, one from a thread that runs no actor when the mailbox is idle
     * @param edge the edge of the actor below, whatever this turn does
     */
    private record Stacked(@Nullable Turn below, @Nullable Answer<?> until, @Nullable Waiting edge) {
    }

    public final Cell cell;
    public final Behavior behavior;
    /** A copy: the senders compete for the cache line of the cell, and reading even its class would take that line away. */
    private final boolean followsLinks;
    /** The node with which the turn begins; null once a thread runs it. Written by the maker, and by threads that take it. */
    private volatile @Nullable Node token;
    /**
     * Whether several threads may have this turn: one that waits for the token's answer, or a lane and its
     * monitor. Set by the asker before it submits the turn, by the monitor before it takes it, or by a
     * thread that hands it on. It only becomes true.
     */
    private volatile boolean isShared;
    /**
     * The exception with which the strategy refused this turn, if it did. The message is then lost instead of
     * handled. Written by the thread whose submission was refused, before the turn runs again.
     */
    private volatile @Nullable Throwable refusal;
    /**
     * The actor's extended state, if it matters to the turn. Written by the turn, and by a thread that gives a
     * reason for the end; never cleared. Reading it from the cell before each message would take the cache line
     * of the cell away from the senders.
     */
    volatile @Nullable ExtendedState extendedState;
    /** The runner of this turn. The running thread writes it before the actor publishes this turn; any thread reads it. */
    Runner runner = NOWHERE;
    /** How many messages the actor has handled in all. Written by the running thread, opaque. */
    private long handled;

    // From here on accessed by the running thread only.
    /** The node taken last, or the chunk with the entry taken last. A bounded mailbox has this position itself. */
    public @Nullable Node last;
    /** The ask at work: its {@link Answer}, or the {@link Deferral.Handle} of its deferred reply. Or {@link NoMessage}. */
    public @Nullable Object asked;
    /** The step that comes before the next message: mostly a restart. */
    private @Nullable Recovery restarting;
    /** Null unless those below wait for this turn. */
    private @Nullable Stacked stacked;
    /** A node that fits no stack like this one: left by an earlier turn to this one, or by this one to the next. */
    private @Nullable Node left;
    /** The clock of the actor's scope, once it was asked for. */
    private @Nullable TimeSource time;
    int messages;
    /** How many of the handled messages are not yet added to the scope's count. */
    private int unflushed;
    /** Whether the token was handled by an earlier turn, which left the rest of the mailbox to this turn. */
    private boolean isRest;
    /** Whether only the lane is below this turn: the lane's next job begins when this turn ends. */
    private boolean isLowest;
    /** Whether this turn only represents its actor while code of that actor runs outside its own turn. */
    private boolean isGuest;
    /** Whether a thread may have waited for the message handled last. */
    public boolean answered;
    /** Whether a feature of the actor has messages that come before those in the mailbox. */
    private boolean hasAhead;
    /** Whether a message was lost because the strategy refused this turn. */
    private boolean hasLost;
    /** Whether {@code left} is for the next turn. */
    private boolean isLeaving;
    /** Whether the next turn is being submitted, and whether the executor has run it on this stack: then this one goes on. */
    private boolean resubmitting;
    private boolean comesBack;

    public Turn(Cell cell, Node token) {
        this.cell = cell;
        behavior = cell.behavior;
        followsLinks = cell.followsLinks();
        TOKEN.set(this, token); // a turn reaches other threads by a release, so this needs no fence
    }

    // ---- Claimed and run. ----

    @Override
    public boolean isPending() {
        return token != null;
    }

    @Override
    public boolean isAsked() {
        return token instanceof AskNode;
    }

    @Override
    public @Nullable Turn below() {
        var mine = stacked;
        return mine == null ? null : mine.below;
    }

    @Override
    public Object owner() {
        return cell;
    }

    @Override
    public String ownerName() {
        return cell.name();
    }

    @Override
    public @Nullable String givenName() {
        return cell.givenName();
    }

    @Override
    public @Nullable String nameForLog() {
        return cell.spec.namesInLog ? cell.name() : null;
    }

    @Override
    public Class<?> handlerClass() {
        return behavior.handlerClass();
    }

    @Override
    public @Nullable Handoff handoff() {
        return cell.spec.placement.handoff();
    }

    @Override
    public Job rehearsal() {
        return new Turn(cell, new StopNode(Reason.EXIT));
    }

    @Override
    public void run() {
        var first = claim();
        if (first != null) {
            run(first, null);
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
    boolean isDoneForThoseBelow() {
        var mine = stacked;
        return mine != null && (mine.until == null ? mine.below != null : !mine.until.dependsOnTarget());
    }

    @Override
    public boolean mayBeRunByOthers() {
        return isShared;
    }

    /** Runs this turn, if no other thread does, on a thread that waits for this answer, until the answer is complete. */
    public void runUntil(Answer<?> answer) {
        var first = claim();
        if (first != null) {
            run(first, answer);
        }
    }

    /** Runs this turn on top of a lane's turn, which waits for this answer, until the answer is complete. */
    void runOnTop(Turn below, Answer<?> answer) {
        var first = claimOnLane();
        if (first != null) {
            runNested(below, first, answer);
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

    /** Runs this turn on the calling thread, which waits for this answer if there is one. */
    private void run(Node first, @Nullable Answer<?> awaited) {
        var here = Current.runner();
        var below = here == null ? null : Current.turnOn(here);
        if (below != null && below.resubmitting && below.cell == cell) {
            // The executor runs tasks where they are submitted. Going on in the turn below keeps the stack flat.
            below.comesBack = true;
        } else if (below != null && (below.depth() >= MAX_NESTED || cell.spec.ownStack
                || below.cell.spec.ownStack)) {
            isShared = true; // an executor may run this once more
            token = first;
            Strategies.FIBER_EXECUTOR.execute(this);
        } else if (below != null) {
            runNested(below, first, awaitedFrom(first, awaited));
        } else if (here == null) {
            var runner = awaited == null ? new Runner(Thread.currentThread()) : Runner.lent();
            runner.adopt();
            try {
                runOnForeignThread(first, runner, awaited);
            } finally {
                Runner.leave();
                runner.end();
            }
        } else if (here.isLent) {
            runOnForeignThread(first, here, awaitedFrom(first, awaited));
        } else {
            runAlone(first, here);
        }
    }

    /** Returns the answer for which those below wait: that of the first node, if the turn is started for an ask. */
    private static @Nullable Answer<?> awaitedFrom(Node first, @Nullable Answer<?> awaited) {
        return awaited == null && first instanceof AskNode asked ? asked.answer() : awaited;
    }

    /** The thread may have been interrupted before: the interrupt is for its owner, not for the handlers of the actor. */
    private void runOnForeignThread(Node first, Runner runner, @Nullable Answer<?> awaited) {
        var interrupted = Thread.interrupted();
        if (runner.isLent) {
            stacked = new Stacked(null, awaited, null);
        }
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
            var below = below();
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
    private void runNested(Turn below, Node first, @Nullable Answer<?> awaited) {
        if (below.isGuest()) {
            var standIn = below.standIn();
            if (standIn == null) {
                stacked = new Stacked(below, awaited, null);
                runAlone(first, below.runner);
            } else {
                var mine = new Stacked(below, awaited, below.cell.waiting());
                stacked = mine;
                holdUpBelow();
                var interrupted = standIn.beginLoan();
                try {
                    runAlone(first, standIn);
                } finally {
                    standIn.endLoan(interrupted);
                    standIn.publish(below.cell, mine.edge);
                }
            }
            return;
        }
        below.unpublish(false);
        var interrupted = Thread.interrupted(); // for example by the actor below itself
        var mine = new Stacked(below, awaited, below.cell.waiting());
        stacked = mine;
        holdUpBelow();
        try {
            runAlone(first, below.runner);
        } finally {
            var held = below.cell.extendedState();
            if (held.waiting != mine.edge) { // mostly its edge says that already, and needs no write
                held.waiting = mine.edge;
            }
            below.enter();
            if (interrupted || held.wasInterruptedMeanwhile()) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns whether something below on the stack waits for this turn. Then a restart, the end and all later need another. */
    boolean isOnTop() {
        return stacked != null;
    }

    /** Returns whether a node that does not fit this stack can be left to another turn: it was not yet. */
    public boolean mayLeave(Node node) {
        return node != left || isLeaving;
    }

    /** Leaves a node to a turn on another stack, which handles {@code moved} next. Both nodes are the same message. */
    public void leaveForAnotherStack(Node moved, Node node) {
        moved.seq = node.seq;
        Front.inside(this).putBackForAnotherStack(moved);
        left = moved;
        isLeaving = true;
    }

    /**
     * Returns the clock of the scope, which is looked up once: between two messages a turn keeps away from its actor, for
     * whose cache line the senders compete.
     */
    public TimeSource time() {
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
        for (var below = below(); below != null; below = below.below()) {
            depth++;
        }
        return depth;
    }

    /**
     * Publishes that all actors below are held up. This turn is about to wait: the actors below cannot go on before it
     * does, even if what they wait for is completed or given up in the meantime. Only this method publishes that, since
     * most turns never wait.
     */
    public void holdUpAllBelow() {
        var above = cell;
        for (var below = below(); below != null; below = below.below()) {
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
    void holdUpBelow() {
        var mine = stacked;
        var below = mine == null ? null : mine.below;
        if (mine == null || below == null || (mine.until != null && mine.edge == mine.until)) {
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
    void releaseBelow() {
        var mine = stacked;
        var below = mine == null ? null : mine.below;
        if (mine == null || below == null) {
            return;
        }
        var standIn = below.standIn();
        if (standIn != null) {
            if (below.cell.waiting() instanceof NestedEdge) {
                standIn.publish(below.cell, mine.edge);
            }
        } else if (!below.isGuest()) {
            // mutant: actor-holds-up-another-after-it-has-left-its-stack
            if (below.cell.waiting() instanceof NestedEdge) {
                below.cell.extendedState().waiting = mine.edge;
            }
        }
    }

    /** Makes this turn a guest: code of the actor runs on this runner outside a turn of the actor. */
    public void visit(Runner here, @Nullable Turn below) {
        runner = here;
        isGuest = true;
        if (below != null) {
            stacked = new Stacked(below, null, null);
        }
    }

    @Override
    public boolean isGuest() {
        return isGuest;
    }

    /**
     * Returns the stand-in on which this guest represents its actor; null if there is none. Called by the running thread.
     */
    public @Nullable StandIn standIn() {
        return isGuest && runner instanceof StandIn mine && mine.isStoodForBy(this) ? mine : null;
    }

    @Override
    public boolean isGone() {
        var standIn = standIn();
        return standIn != null && standIn.isGone();
    }

    /** Returns the turn below this one, unless its actor has gone on without the thread. Called by the running thread. */
    @Nullable Turn heldBelow() {
        var below = below();
        return below == null || below.isGone() ? null : below;
    }

    /** Returns the ask with a time limit that the handler works on; null if there is none. Called by the running thread. */
    public @Nullable TimeLimit deadline() {
        var standIn = standIn();
        if (standIn != null) {
            return standIn.deadline();
        }
        var extended = cell.extendedStateIfAny();
        return extended == null ? null : extended.deadline;
    }

    /** Sets the ask with a time limit that the handler works on. */
    public void deadline(@Nullable TimeLimit deadline) {
        var standIn = standIn();
        if (standIn == null) {
            cell.extendedState().deadline = deadline;
        } else {
            standIn.deadline(deadline);
        }
    }

    // ---- One entry after another. ----

    @Override
    public void refuse(Throwable why) {
        refusal = why;
        markShared(); // the executor that refused the turn may still run it
    }

    /** Handles the waiting nodes on the calling thread. Throws nothing. */
    private void handleFrom(Node first) {
        handled = (long) Cell.HANDLED.getOpaque(cell); // no turn runs, so the cell has the count
        enter();
        // A sender that drops the oldest may have taken the node that this turn was started for.
        var taken = isRest || followsLinks ? first : cell.first(first);
        last = taken == null ? first : taken;
        Object entry = isRest ? null : hasAhead ? Front.of(cell).firstOf(taken) : taken;
        while (true) {
            // The flag is cleared before the reason is read. A forced stop sets its reason before it interrupts. So either
            // what is cleared here was meant for something that has ended, or the reason is seen.
            // mutant: interrupt-reaches-the-next-message
            Thread.interrupted();
            var known = extendedState;
            // mutant: request-to-exit-is-seen-too-late
            if (known != null && known.endsNow()) {
                Termination.run(this, known, entry == null ? null : MessageNode.of(entry));
                return;
            }
            if (entry == null) {
                entry = next();
                if (entry == null) {
                    return;
                }
            } else {
                if (known == null || !known.observed) {
                    handle(entry);
                } else {
                    handle(entry, known.features());
                }
                entry = null;
            }
        }
    }

    /** Returns the next entry, or null if this turn ends: the mailbox is idle, or a later turn takes the rest. */
    private @Nullable Object next() {
        // mutant: turn-goes-on-with-other-scoped-values
        if ((hasLost && restarting == null)
                || (isOnTop() && (restarting != null || isDoneForThoseBelow())) || isLeaving) {
            endEarly();
            return null;
        }
        if (budgetSpent() && !giveWay()) {
            return null;
        }
        var next = poll();
        if (next == null) {
            next = MessageStream.next(this);
        }
        while (next == null) {
            flush();
            if (becomeIdle()) {
                return null;
            }
            enter();
            cell.awaitLink(last);
            next = poll();
        }
        return next;
    }

    /** Makes the actor idle; returns false if there is another node. */
    private boolean becomeIdle() {
        releaseBelow();
        var known = extendedState;
        if (known != null) {
            known.beforeIdle();
        }
        cell.hide(handled);
        runner.prepareEnd();
        assert Interleave.here();
        if (!cell.becomeIdle(last)) {
            runner.cancelEnd();
            holdUpBelow();
            return false;
        }
        cell.awaitInterrupts(true);
        return true;
    }

    /**
     * Ends this turn although there may be more to do, which a later turn does. Either the actor below has its answer
     * and goes on, or the strategy has refused this turn but may accept the next one.
     */
    private void endEarly() {
        flush();
        var known = extendedState;
        var front = known == null ? null : known.front;
        var passedOver = front != null && !front.isEmpty();
        passedOver = passedOver || (!hasNext() && MessageStream.isFed(this));
        if (passedOver || restarting != null || !becomeIdle()) {
            goOnElsewhere();
        }
    }

    /** Leaves the end of the actor to a turn on another stack: its hooks take their time, and may ask the actor below. */
    void endElsewhere(@Nullable Node taken) {
        extendedState().taken = taken;
        flush();
        goOnElsewhere();
    }

    /** Leaves the actor to a turn that runs on top of no other. */
    private void goOnElsewhere() {
        releaseBelow();
        unpublish(true);
        var rest = rest(Objects.requireNonNull(last));
        rest.left = isLeaving ? left : null;
        if (isLeaving || cell.spec.placement.mayRunInPlace()) {
            Strategies.FIBER_EXECUTOR.execute(new Submission(rest));
        } else {
            cell.submit(rest);
        }
    }

    /** Returns the next entry that is already there. Nodes that a selective receive has passed over come first. */
    @Nullable Object poll() {
        var known = extendedState;
        if (known != null && known.front != null) {
            var passedOver = known.front.poll();
            if (passedOver != null) {
                return passedOver;
            }
        }
        var at = followsLinks ? Objects.requireNonNull(last).advance() : null;
        if (at == null) {
            return followsLinks ? null : cell.pollEntry();
        }
        last = at;
        return at.entry();
    }

    boolean hasNext() {
        return followsLinks ? Objects.requireNonNull(last).hasNext() : cell.hasNext(last);
    }

    /** Handles a node, or a message that has none. */
    void handle(Object entry) {
        var why = refusal;
        runner.markProgress();
        try {
            if (why != null) {
                hasLost = true;
                refuse(entry, why);
            } else if (!(entry instanceof Node)) {
                MessageNode.handleBare(this, entry);
            } else if (entry instanceof MessageNode message) {
                message.handle(this, message.packed());
            } else {
                ((Signal) entry).run(this);
            }
        } catch (Throwable engineFailure) {
            // Only what the engine's own reporting threw gets here, for instance a stack overflow in it. The actor goes on.
            cell.extendedState().deadline = null; // the exception may have kept the handler's end from clearing it
            cell.spec.scope.events().engineFailure(cell.name(), engineFailure);
        } finally {
            runner.markProgress();
            if (entry instanceof Node node) {
                node.clear();
            }
        }
    }

    private void refuse(Object entry, Throwable why) {
        if (entry instanceof Signal signal) {
            signal.refused(this, why);
        } else {
            ((MessageNode) MessageNode.of(entry)).refused(this, why);
        }
    }

    private void handle(Object entry, Feature[] observers) {
        for (var each : observers) {
            each.before(this, entry);
        }
        handle(entry);
        for (int i = observers.length - 1; i >= 0; i--) {
            observers[i].after();
        }
    }

    private boolean budgetSpent() {
        messages++;
        if (messages >= BUDGET_MESSAGES) {
            return true;
        }
        // The clock is read after 1, 2, 4, 8, 16 messages, then after every 16th, and after each one that follows a long
        // one, if there is another message: most turns have one and never read the clock.
        var looks = messages < CLOCK_INTERVAL
                ? (messages & messages - 1) == 0
                : messages % CLOCK_INTERVAL == 0;
        return (looks || runner.isLong()) && hasNext()
                && runner.hasRunFor(BUDGET_NANOS, time());
    }

    /** Lets other jobs run; returns false if another turn takes the rest of the mailbox. */
    private boolean giveWay() {
        if (restarting != null && !restart()) {
            return false;
        }
        messages = 0;
        runner.restartClock(time());
        flush();
        var placement = cell.spec.placement;
        return switch (placement.fairness()) {
            case PREEMPTED -> true;
            case RELAYS -> {
                Parking.letGo();
                if (isLowest && runner.hasToPass(time())) {
                    unpublish(true);
                    ((Lane) runner).leaveRest(rest(Objects.requireNonNull(last)));
                    yield false;
                }
                runner.yieldOrPass(Objects.requireNonNull(placement.handoff()), time());
                runner.restartClock(time());
                yield true;
            }
            case RESUBMITS -> resubmit(Objects.requireNonNull(last));
        };
    }

    /** Returns a turn for what comes after a node that was handled. */
    private Turn rest(Node from) {
        var rest = new Turn(cell, from);
        // mutant: rest-of-a-turn-begins-again
        rest.isRest = true;
        rest.restarting = restarting;
        rest.messages = restarting == null ? 0 : BUDGET_MESSAGES;
        return rest;
    }

    /** Restarts the actor; returns false if a later turn has to do that, or what follows it. */
    private boolean restart() {
        while (restarting != null) {
            var mine = restarting;
            restarting = null;
            if (!mine.run(this)) {
                return false;
            }
        }
        if (cell.exitRequested()) {
            cell.sendControl(new StopNode(Reason.EXIT)); // otherwise the turn would become idle before it sees the exit
        }
        return true;
    }

    /** Leaves the actor to a later turn, which begins with this step. The caller sees to it that the turn is submitted. */
    public Turn leaveTo(Recovery step) {
        restarting = step;
        // mutant: turn-after-a-pause-forgets-its-last-node
        var rest = rest(Objects.requireNonNull(last));
        restarting = null;
        flush();
        releaseBelow();
        cell.extendedState().rest();
        unpublish(true);
        return rest;
    }

    /** Runs a step after the current message and before the next one. */
    void runBeforeNext(Recovery step) {
        restarting = step;
        messages = BUDGET_MESSAGES; // at that number the turn checks its budget
    }

    private boolean resubmit(Node from) {
        releaseBelow();
        unpublish(true);
        resubmitting = true;
        cell.submit(rest(from));
        resubmitting = false;
        if (!comesBack) {
            return false;
        }
        comesBack = false;
        holdUpBelow();
        enter();
        return true;
    }

    // The outcome of a node. Called by the node.

    public void handled() {
        HANDLED.setOpaque(this, handled + 1);
        unflushed++;
        answered = false;
    }

    public void answered(Answer<@Nullable Object> answer, @Nullable Object result) {
        answer.end(cell);
        handled();
        answered = true; // a thread that waited for the answer should find the actor idle, and run it in place
        // mutant: nested-turn-completes-the-wrong-answer
        answer.succeed(result);
    }

    public void expired() {
        // mutant: expired-ask-is-not-counted
        cell.count(Fates.Kind.EXPIRED);
        cell.extendedState().finishedOtherwise(this);
    }

    public void skipped() {
        cell.extendedState().finishedOtherwise(this);
    }

    void askFailed(Answer<@Nullable Object> answer, Object message, Throwable failure) {
        answer.end(cell);
        if (isCancelled(answer, failure)) {
            expired(); // the canceller wanted this: it is no failure
            return;
        }
        try {
            failed(message, failure);
        } finally {
            answer.failWith(AskFailures.thrown(cell, answer, failure));
        }
    }

    /** Returns whether a handler has thrown this because it was interrupted for that ask. */
    public boolean isCancelled(Answer<?> answer, Throwable failure) {
        return answer.isOver() && cell.spec.interruptOnCancel && Interrupts.isCauseOf(failure);
    }

    public void failed(Object message, Throwable failure) {
        if (endsByExit(failure)) {
            handled();
            return;
        }
        cell.count(Fates.Kind.FAILED);
        cell.extendedState().finishedOtherwise(this);
        if (!(cell.spec.onFailure instanceof FailurePolicy.Resume)) {
            decide(failure, false, true);
        }
        cell.reportFailure(message, failure, extendedState().sentFrom);
    }

    /** Handles the failure to make the handler, or what a body needs. */
    public void startFailed(Throwable failure) {
        decide(failure, true, !behavior.isBody());
        cell.report(Failed.in(Failed.Part.START, cell.name(), failure));
    }

    /** Handles a failure outside the handler: of a child that has stopped, or of code for which the actor was held. */
    public void othersFailed(Throwable failure) {
        decide(failure, false, true);
    }

    /** Handles an exception that the body has thrown. */
    public void bodyFailed(Throwable failure) {
        decide(failure, true, false);
        cell.report(Failed.in(Failed.Part.BODY, cell.name(), failure));
    }

    private void decide(Throwable failure, boolean atStart, boolean canGoOn) {
        var restart = cell.spec.scope.services().decide(this, failure, atStart, canGoOn);
        if (restart != null && restarting == null) {
            runBeforeNext(restart);
        }
    }

    /** Returns whether the actor has to be restarted before its next message. */
    public boolean isRestarting() {
        return restarting != null;
    }

    /** Returns whether the strategy has refused this turn, which then handles no message. */
    boolean isRefused() {
        return refusal != null;
    }

    /** Throws the exception with which the strategy refused this turn, if it did. */
    public void requireNotRefused() throws Throwable {
        var why = refusal;
        if (why != null) {
            throw why;
        }
    }

    /** Adds an exit hook from inside the actor. */
    public void addExitHook(Body hook) {
        extendedState().addHook(new ClosingHook(hook));
        cell.spec.scope.holdOn(cell);
    }

    /** Returns whether this is no failure, but the way in which a receiving actor ends that was told to end. */
    public boolean endsByExit(Throwable failure) {
        return failure instanceof ActorExitException
                && (restarting != null || cell.wasToldToEnd());
    }

    /** Adds what was handled to the scope's count. This is done rarely, since threads share that count. */
    public void flush() {
        if (unflushed > 0) {
            runner.countHandled(cell.spec.scope.fates(), unflushed);
            unflushed = 0;
        }
    }

    /** Returns how many messages the actor has handled. Read by any thread. */
    long handledSoFar() {
        return (long) HANDLED.getOpaque(this);
    }

    /**
     * Begins: a handler may run from here on, and its thread may be interrupted for the actor. A thread that sets a
     * reason for the end first sets it, then reads the turn and attaches the extended state to it. The turn first
     * publishes itself, then reads the extended state. One of the two sees the other.
     */
    void enter() {
        cell.running = this;
        assert Interleave.here();
        var found = cell.extendedState;
        if (found != null && found != extendedState) {
            // mutant: turn-does-not-see-an-earlier-request-to-exit
            extendedState = found;
            hasAhead = found.front != null && found.front.hasAhead();
        }
    }

    /** Returns the extended state, which the turn knows from now on. */
    public ExtendedState extendedState() {
        var found = cell.extendedState();
        extendedState = found;
        return found;
    }

    void unpublish(boolean clearFlag) {
        cell.unpublish(handled, clearFlag);
    }

    @Override
    public boolean needsThread() {
        var first = token;
        return isRest || (first != null && first.waitsForNodes());
    }

    public @Nullable Node last() {
        return last;
    }

    /** Notes that a receiving handler takes the entry at this position itself. */
    public void took(Node position) {
        last = position;
    }

    /**
     * Submits a turn from a fiber, since its executor may run it at once. This is a class of its own, since a
     * lambda is linked when it is first used, which may be where little stack is left.
     *
     * @param turn the turn
     */
    public record Submission(Turn turn) implements Runnable {
        /** Submits a turn from a thread that must not run handlers, or that runs one. */
        public static void fromAnywhere(Turn turn) {
            if (turn.cell.spec.placement.mayRunInPlace() || Current.turn() != null) {
                Strategies.FIBER_EXECUTOR.execute(new Submission(turn));
            } else {
                turn.cell.submit(turn);
            }
        }

        @Override
        public void run() {
            turn.cell.submit(turn);
        }
    }

    /**
     * What a turn works on while it runs code that belongs to no single message: hooks for the start, factories, and code
     * that was given to the actor. Such code may run for the first message of an actor, and must not take its reply away, or
     * put it aside.
     */
    public enum NoMessage {
        NONE;

        /** Notes that such code begins; returns what to give to {@link #end}. */
        public static @Nullable Object begin(Turn turn) {
            var around = turn.asked;
            turn.asked = NONE;
            return around;
        }

        /** Notes that such code has ended. */
        public static void end(Turn turn, @Nullable Object around) {
            turn.asked = around;
        }

        /** Returns whether such code runs. */
        public static boolean isHandled(@Nullable Turn turn) {
            return turn != null && turn.asked == NONE;
        }
    }
}
