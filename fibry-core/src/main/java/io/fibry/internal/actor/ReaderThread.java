package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Runner;
import io.fibry.message.SendSite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of the places of {@link Readers}: it handles one message at a time that only reads, each on a virtual thread of its
 * own. A guest {@link Turn} represents the actor there, and counts what it handles.
 *
 * <p>The turn of the actor fills a place that is free. The thread gives the place back when it has ended, so the fields
 * that have no other comment belong to one thread after the other.
 */
public final class ReaderThread extends StandIn implements Runnable {
    private static final VarHandle NODE =
            FieldAccess.of(MethodHandles.lookup(), "node", Node.class);

    private final Readers readers;
    final Turn guest;
    /**
     * The message that waits for its thread. The turn sets it. The thread takes it by an exchange, or the turn does, if the
     * thread could not be started.
     */
    private volatile @Nullable Node node;
    private @Nullable TimedAnswer<?> deadline;
    /** Where the message was sent from, if that was remembered. */
    @Nullable SendSite sentFrom;
    /** What the handler waits for. Written by its thread, read by any thread. */
    private volatile @Nullable Waiting edge;
    /** The thread that reads; null if none does. Read by threads that interrupt it. */
    private volatile @Nullable Thread at;
    /** How many messages were handled here before this one. Written by the turn. */
    private volatile long before;
    /** The message that was not finished; null if there is none. Set by the turn, cleared by the thread of the reader. */
    private volatile @Nullable Work work;
    /** The place below this one among those that are free. Written before this place is listed there. */
    @Nullable ReaderThread nextFree;

    /**
     * The work on one message. Each is an object of its own, so a thread that sees the same one twice has seen the same work
     * twice.
     */
    public static final class Work {
        public final Class<?> message;

        Work(Class<?> message) {
            this.message = message;
        }
    }

    ReaderThread(Readers readers, Cell cell) {
        this.readers = readers;
        guest = new Turn(cell, new StopNode(Reason.EXIT));
        guest.visit(this);
    }

    /** Returns the reader of this actor that is the calling thread; null if there is none. */
    static @Nullable ReaderThread here(Cell cell) {
        var extended = cell.extendedState();
        return extended.readers() != null && Current.runner() instanceof ReaderThread mine
                && mine.worksFor(cell)
                        ? mine : null;
    }

    /** Returns the reader on whose thread this guest turn represents its actor; null if it is no such turn. */
    static @Nullable ReaderThread behind(Activation turn) {
        return turn.runner instanceof ReaderThread mine && mine.guest == turn ? mine : null;
    }

    /** Gives the place its next message. Called by the turn, before it starts the thread. */
    void take(Node taken, Work next) {
        work = next;
        before = guest.handledSoFar();
        node = taken;
    }

    /** Takes the message back, since its thread could not be started; returns false if a thread has it. Called by the turn. */
    boolean takeBack() {
        if (NODE.getAndSet(this, (Node) null) == null) {
            return false;
        }
        work = null;
        return true;
    }

    @Override
    public void run() {
        var mine = (Node) NODE.getAndSet(this, (Node) null);
        if (mine == null) {
            return;
        }
        Runner fiber = null;
        try {
            fiber = Runner.current();
            if (begin(mine)) {
                mine.handle(guest);
                LogContext.restore(null);
            }
        } catch (Throwable engineFailure) {
            // Only what the engine's own reporting threw gets here, as in a turn.
            guest.cell.spec.scope.events().engineFailure(guest.cell.name(), engineFailure);
        } finally {
            leaveActor(mine, fiber);
        }
    }

    /** Prepares the thread. If there is too little memory or stack for that, the message is lost, and this returns false. */
    private boolean begin(Node taken) {
        try {
            thread = Thread.currentThread();
            at = thread;
            adopt();
            job = guest;
            assert Interleave.here();
            // mutant: reader-begins-after-a-forced-stop-without-an-interrupt
            readers.interruptIfForced();
            LogContext.putAside();
            LogContext.begin(guest);
            return true;
        } catch (Throwable notBegun) {
            taken.refused(guest, notBegun);
            return false;
        }
    }

    private void leaveActor(Node handled, @Nullable Runner fiber) {
        try {
            handled.clear();
            work = null;
            deadline = null;
            sentFrom = null;
            edge = null;
            guest.asked = null;
            guest.flush();
            job = null;
            at = null;
            end();
            if (fiber == null) {
                leave();
            } else {
                fiber.adopt();
            }
        } finally {
            readers.ended(this);
        }
    }

    /** Interrupts the handler, if there is one. Its thread handles nothing else, so an interrupt that is late does no harm. */
    void interrupt() {
        var reading = at;
        if (reading != null) {
            reading.interrupt();
        }
    }

    /** Returns the thread of the handler; null if there is none. Called by any thread. */
    public @Nullable Thread threadAtWork() {
        return at;
    }

    /** Returns the work on the message that was not finished; null if there is none. Called by any thread. */
    public @Nullable Work work() {
        return work;
    }

    /** Returns what the handler waits for. Called by any thread. */
    @Nullable Waiting edge() {
        return edge;
    }

    /** Returns whether the message is finished, so that the thread has almost nothing left to do. Called by any thread. */
    boolean isEnding() {
        return work == null || guest.handledSoFar() != before;
    }

    /** Notes that the message of this guest turn is finished, although it was not handled. */
    static void finished(Turn turn) {
        var reader = behind(turn);
        if (reader != null) {
            reader.work = null;
        }
    }

    /** Keeps a failure for the turn, which applies the policy to it later; returns false if no reader has failed. */
    static boolean keeps(Throwable failure, Turn turn) {
        var reader = behind(turn);
        if (reader == null) {
            return false;
        }
        reader.readers.failed(failure);
        return true;
    }

    // ---- As a stand-in. ----

    @Override
    public boolean worksFor(Cell cell) {
        return guest.cell == cell;
    }

    @Override
    public boolean isStoodForBy(Activation turn) {
        return guest == turn;
    }

    @Override
    public boolean isAbandoned() {
        return false;
    }

    @Override
    public void requireHeld() {
    }

    @Override
    public void beginInside() {
    }

    @Override
    public boolean beginInsideIfHeld() {
        return true;
    }

    @Override
    public void endInside() {
    }

    @Override
    void waits(Cell actor, @Nullable Waiting now) {
        edge = now;
    }

    @Override
    public boolean beginLoan() {
        throw new AssertionError("no turn runs on top of a reader");
    }

    @Override
    public void endLoan(boolean interrupted) {
    }

    @Override
    public void beginWait() {
    }

    @Override
    public void endWait() {
    }

    @Override
    public @Nullable TimedAnswer<?> deadline() {
        return deadline;
    }

    @Override
    public void deadline(@Nullable TimedAnswer<?> now) {
        deadline = now;
    }

    @Override
    public List<StackTraceElement> stack() {
        var reading = at;
        return reading == null ? List.of() : List.of(reading.getStackTrace());
    }
}
