package io.fibry.internal.actor;

import io.fibry.event.Failed;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.report.ContentClass;
import io.fibry.internal.run.Strategies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Lets an actor handle messages that only read side by side, between two others. The turn meets each entry of the mailbox
 * here before it handles it. It gives a message that reads to a {@link ReaderThread}. Before anything else it leaves the
 * actor until all readers have ended; the last of them submits the turn that goes on. No thread waits.
 *
 * <p>Everything other than a marked message counts as a writer: other messages, code, messages of timers and
 * watches, and the nodes
 * of the engine. So a poison pill, a probe of a scope, and the failure of a child come after the readers before them.
 *
 * <pre>
 *   running: n -> n + 1          the turn, before it starts a reader
 *            n -> n - 1          a reader that has ended
 *   left:    null -> Left        the turn, when it has left the actor; it then reads {@code running} again
 *            Left -> null        by CAS: a reader that has ended, or that turn, if so few readers run that the turn may go
 *                                on. It submits the turn
 * </pre>
 *
 * <p>The turn writes {@code left} and then reads {@code running}. A reader writes {@code running} and then reads {@code
 * left}. So one of the two sees that the turn may go on, and the CAS gives it to one.
 *
 * <p>The actor may become idle while readers run. It is not at rest then: see {@link #isReading}.
 */
public final class Readers implements MessageObserver, Recovery {
    private static final VarHandle RUNNING = FieldAccess.of(MethodHandles.lookup(), "running", int.class);
    private static final VarHandle LEFT = FieldAccess.of(MethodHandles.lookup(), "left", Left.class);
    private static final VarHandle FREE =
            FieldAccess.of(MethodHandles.lookup(), "free", ReaderThread.class);
    private static final VarHandle FAILURE =
            FieldAccess.of(MethodHandles.lookup(), "failure", Throwable.class);

    private record Left(Turn turn, int limit) {
    }

    private final Cell cell;
    private final Reading reading;
    /**
     * The place that became free last, on top of the others, which {@link ReaderThread#nextFree} links. To add one takes no
     * memory. Any reader adds its place; the turn alone takes one, so the place below the top does not change meanwhile.
     */
    private volatile @Nullable ReaderThread free;
    private final List<ReaderThread> all = new CopyOnWriteArrayList<>();
    private volatile int running;
    private volatile @Nullable Left left;
    /** The first failure of readers to which the policy was not applied. Set by readers, by CAS; taken by the turn. */
    private volatile @Nullable Throwable failure;
    /** The observer that a scope gives the actor. Written before the actor is published. */
    private @Nullable MessageObserver watched;

    // Accessed by the turn only.
    /** How many readers may still run when the turn goes on. */
    private int limit;
    /** The node that was put back, of which it is known whether it reads. */
    private @Nullable Node judged;
    private boolean judgedReads;

    private Readers(Cell cell, Reading reading) {
        this.cell = cell;
        this.reading = reading;
    }

    /** Returns the behavior of an actor with readers. */
    public static Behavior around(Behavior inner) {
        return new ReadersBehavior(inner);
    }

    /** Gives an actor its readers. Called before any thread sends to the actor. */
    public static void equip(Cell cell, Reading reading) {
        var extended = cell.extendedState();
        extended.inbox = new Inbox(cell);
        extended.openReplies(); // readers may defer replies, and do not make what all share
        extended.observer = new Readers(cell, reading);
    }

    /** Returns whether readers of this actor run. Called by any thread. */
    public static boolean areRunning(Cell cell) {
        var extended = cell.extendedStateIfAny();
        var readers = extended == null ? null : extended.readers();
        return readers != null && readers.isReading();
    }

    /** Returns the places of the readers of this actor that were filled so far; empty if it has none. Called by any thread. */
    public static List<ReaderThread> placesOf(Cell cell) {
        var extended = cell.extendedStateIfAny();
        var readers = extended == null ? null : extended.readers();
        return readers == null ? List.of() : readers.all;
    }

    /** Returns the thread of a reader of this actor, if possible one that runs; null if there is none. Called by any thread. */
    static @Nullable Thread threadOf(Cell cell) {
        Thread found = null;
        for (var each : placesOf(cell)) {
            var thread = each.threadAtWork();
            if (thread != null && (found == null || thread.getState() == Thread.State.RUNNABLE)) {
                found = thread;
            }
        }
        return found;
    }

    /** Returns what an actor waits for: its turn, or its readers. Called by any thread. */
    public static List<Waiting> edgesOf(Cell cell) {
        var extended = cell.extendedStateIfAny();
        if (extended == null) {
            return List.of();
        }
        var own = extended.waiting;
        var readers = extended.readers();
        if (readers == null) {
            return own == null ? List.of() : List.of(own);
        }
        var edges = new ArrayList<Waiting>();
        if (own != null) {
            edges.add(own);
        }
        for (var each : readers.all) {
            var edge = each.edge();
            if (edge != null) {
                edges.add(edge);
            }
        }
        return edges;
    }

    /** Sets the observer that also hears of what the turn handles itself. */
    void around(MessageObserver observer) {
        watched = observer;
    }

    @Nullable MessageObserver watched() {
        return watched;
    }

    /** Returns whether a reader runs, or the policy is to be applied to a failure of one. Called by any thread. */
    boolean isReading() {
        return running != 0 || failure != null;
    }

    /** Returns whether all readers that run have handled their messages, and are about to end. */
    boolean areEnding() {
        for (var each : all) {
            if (!each.isEnding()) {
                return false;
            }
        }
        return true;
    }

    /** Returns how many messages readers have handled. */
    long handled() {
        var sum = 0L;
        for (var each : all) {
            sum += each.guest.handledSoFar();
        }
        return sum;
    }

    // ---- Called by the turn. ----

    @Override
    public boolean begins(Turn turn, Object entry) {
        return (isRefused(turn) || admits(turn, entry)) && (watched == null || watched.begins(turn, entry));
    }

    /** Returns whether the strategy has refused the turn, which then handles nothing. */
    private static boolean isRefused(Turn turn) {
        try {
            turn.requireNotRefused();
            return false;
        } catch (Throwable refusal) {
            return true;
        }
    }

    /** Returns whether the turn handles the entry now, as a writer. */
    private boolean admits(Turn turn, Object entry) {
        var reads = isMarked(entry);
        var isFull = running >= reading.most();
        if (reads && failure == null && !isFull && start(turn, entry)) {
            return false;
        }
        // mutant: writer-runs-beside-readers
        if (running != 0) {
            limit = reads && failure == null && isFull ? reading.most() - 1 : 0;
            putBack(entry, reads);
            turn.runBeforeNext(this);
            return false;
        }
        if (failure == null) {
            return !(reads && isFull && start(turn, entry));
        }
        applyPolicy(turn);
        if (turn.isRestarting() || cell.exitRequested()) {
            putBack(entry, reads);
            return false;
        }
        return !(reads && start(turn, entry));
    }

    /** Returns whether an entry is a message that only reads. The predicate is asked once for each message. */
    private boolean isMarked(Object entry) {
        if (entry == judged) {
            judged = null;
            return judgedReads;
        }
        var message = messageIn(entry);
        if (message == null) {
            return false;
        }
        try {
            return reading.marks().test(message);
        } catch (Throwable failed) {
            // The message is handled as any other: whether it was marked is not known.
            var event = Failed.onMessage(cell.name(), message.getClass(), failed);
            var site = entry instanceof Node node ? node.sentFrom() : null;
            cell.report(site == null ? event : event.sentFrom(site));
            return false;
        }
    }

    private static @Nullable Object messageIn(Object entry) {
        if (!(entry instanceof Node node)) {
            return entry;
        }
        return node instanceof MessageNode || node instanceof AskNode ? node.content() : null;
    }

    /**
     * Starts a reader. Returns false if that is not possible: for want of memory or of stack, or because the handler could
     * not be made. No reader has begun then, and the turn handles the message itself.
     */
    private boolean start(Turn turn, Object entry) {
        Node node;
        ReaderThread reader;
        ReaderThread.Work work;
        try {
            StackReserve.require();
            node = MessageNode.of(entry);
            var message = node.content();
            if (message == null || !((ReadersBehavior) turn.behavior).isReady(turn, message)) {
                return false; // the ask was given up meanwhile, or the message fails
            }
            Context.of(cell); // readers share it, so none of them makes it
            work = new ReaderThread.Work(ContentClass.of(message));
            reader = place();
        } catch (VirtualMachineError noMemoryOrStack) {
            return false;
        }
        turn.skipped(); // the turn is done with the node
        RUNNING.getAndAdd(this, 1);
        // From here on a thread may have the message, perhaps one whose start seemed to fail earlier.
        reader.take(node, work);
        assert Interleave.here();
        try {
            Strategies.FIBER_EXECUTOR.execute(reader);
        } catch (Throwable notStarted) {
            // A thread may have been started although an exception was thrown. Then it has the message.
            // mutant: message-of-a-reader-that-was-not-started-is-handled-twice
            if (reader.takeBack()) {
                turn.extendedState().takenUp(1);
                free(reader);
                RUNNING.getAndAdd(this, -1);
                return false;
            }
        }
        return true;
    }

    /** Returns a free place; makes one if there is none. Called by the turn. */
    private ReaderThread place() {
        for (var top = free; top != null; top = free) {
            assert Interleave.here();
            if (FREE.compareAndSet(this, top, top.nextFree)) {
                top.nextFree = null;
                return top;
            }
        }
        var fresh = new ReaderThread(this, cell);
        all.add(fresh);
        return fresh;
    }

    /** Lists a place as free. */
    private void free(ReaderThread place) {
        while (true) {
            var top = free;
            place.nextFree = top;
            assert Interleave.here();
            // mutant: free-place-of-another-reader-is-lost
            if (FREE.compareAndSet(this, top, place)) {
                return;
            }
        }
    }

    private void putBack(Object entry, boolean marked) {
        var node = MessageNode.of(entry);
        keepVerdict(node, marked);
        Inbox.of(cell).putBack(node);
    }

    /** Keeps whether a node reads, which is put back. It is the next one that is taken, apart from nodes of the engine. */
    void keepVerdict(Node node, boolean marked) {
        judged = node;
        judgedReads = marked;
    }

    private void applyPolicy(Turn turn) {
        var first = (Throwable) FAILURE.getAndSet(this, (Throwable) null);
        if (first != null) {
            turn.othersFailed(first);
        }
    }

    @Override
    public void onEnd() {
        if (watched != null) {
            watched.onEnd();
        }
    }

    @Override
    public @Nullable MessageObserver afterEnd() {
        return watched == null ? null : watched.afterEnd();
    }

    @Override
    public void beginsInside(Node entry) {
        throw new AssertionError("an actor with readers is not reentrant");
    }

    @Override
    public void onEndInside() {
    }

    /** Leaves the actor until so few readers run that it goes on. */
    @Override
    public boolean run(Turn turn) {
        if (running <= limit) {
            return true;
        }
        leave(turn, limit);
        return false;
    }

    /** Leaves the actor, which is to end, until its readers have ended; returns false if none runs. */
    boolean holdUpEnd(Turn turn, @Nullable Node taken) {
        // mutant: actor-ends-before-its-readers
        if (running != 0) {
            if (taken != null) {
                turn.extendedState().taken = taken;
            }
            leave(turn, 0);
            return true;
        }
        applyPolicy(turn);
        return false;
    }

    private void leave(Turn turn, int until) {
        left = new Left(turn.leaveTo(this), until);
        assert Interleave.here();
        // mutant: turn-does-not-see-that-the-readers-have-ended
        goOn();
    }

    // ---- Called by readers, and by the turn. ----

    /** Submits the turn that has left the actor, if it may go on. */
    private void goOn() {
        var seen = left;
        assert Interleave.here();
        if (seen != null && running <= seen.limit && LEFT.compareAndSet(this, seen, (Left) null)) {
            Submission.fromAnywhere(seen.turn);
        }
    }

    /** Notes the end of a reader, whose place is free. */
    void ended(ReaderThread reader) {
        try {
            free(reader);
            var watcher = cell.extendedState().lifecycle;
            if (watcher != null) {
                // mutant: time-of-a-reader-counts-as-idle-time
                watcher.onIdle();
            }
        } finally {
            RUNNING.getAndAdd(this, -1);
            assert Interleave.here();
            // mutant: last-reader-does-not-wake-the-turn
            goOn();
            if (failure != null) {
                // mutant: failed-reader-of-an-idle-actor-has-no-policy
                cell.sendControl(new ReadersEnd());
            }
        }
    }

    void failed(Throwable thrown) {
        FAILURE.compareAndSet(this, (Throwable) null, thrown);
    }

    // ---- Called by any thread. ----

    /** Interrupts the handlers of all readers, since the end of the actor is forced. */
    void interrupt() {
        for (var each : all) {
            each.interrupt();
        }
    }

    /**
     * Interrupts the calling reader if the end of the actor is forced. A stopper first sets {@code forced} and then looks
     * for readers, so one of the two sees the other.
     */
    void interruptIfForced() {
        if (cell.extendedState().forced) {
            Thread.currentThread().interrupt();
        }
    }

    /** Wakes the actor, so that its turn applies the policy to the failure of a reader. */
    private static final class ReadersEnd extends Node {
        @Override
        public void handle(Turn turn) {
            turn.skipped();
        }

        @Override
        public void refused(Turn turn, Throwable why) {
            handle(turn);
        }

        @Override
        public boolean isControl() {
            return true;
        }
    }
}
