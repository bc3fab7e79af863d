package io.fibry.internal.abandon;

import io.fibry.HandlerAbandonedException;
import io.fibry.internal.actor.Activation;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Interrupts;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.TimedAnswer;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.run.Backoff;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that handles messages for turns that wait for it, so that a turn can go on without one that does not come
 * back. It works for one turn at a time, which gives it one {@link StandInRun} after another; the one with an abandoned grasp
 * is its last.
 *
 * <pre>
 *   next: null -> Grasp    the turn, which then unparks the hand
 *         Grasp -> null    the hand, which takes it before it looks whether it is to end, and before it parks
 * </pre>
 *
 * <p>Only the turn interrupts it, and only while it waits: {@code interrupting} and {@code deaf} are to each other as
 * {@code interrupters} and {@code running} are for turns, see {@link Interrupts}. A hand is deaf but for the time in which
 * the handler runs; what it has not heard then waits for it in {@code missed}.
 */
public final class StandInThread extends StandIn implements Runnable {
    private static final VarHandle NEXT =
            FieldAccess.of(MethodHandles.lookup(), "next", StandInRun.class);

    private volatile @Nullable StandInRun next;
    private volatile boolean ends;
    private volatile boolean deaf = true;
    private volatile boolean interrupting;
    private volatile boolean missed;
    /** Whether the handler waits in a way of ours: its turn then lets a bounded pool have a spare thread. */
    private volatile boolean waits;
    /** Of whoever keeps hands that have nothing to do. */
    boolean isOld;

    // Touched by its own thread.
    private @Nullable StandInRun grasp;
    private int waitsInside;

    // ---- By the turn. ----

    /** Gives it something to do. It has nothing to do now. */
    void give(StandInRun given) {
        // mutant: missed-interrupt-reaches-the-next-message
        missed = false; // what has come too late for the one before
        NEXT.setVolatile(this, given);
        wake();
    }

    /** It is not needed any more. */
    void letGo() {
        ends = true;
        wake();
    }

    private void wake() {
        var mine = thread;
        if (mine != null) { // else it is about to look for the first time
            LockSupport.unpark(mine);
        }
    }

    /** Interrupts the handler, if it is still at work. */
    void interrupt() {
        interrupting = true;
        Interleave.here();
        var mine = deaf ? null : thread;
        Interleave.here();
        if (mine == null) {
            missed = true;
        } else {
            mine.interrupt();
        }
        interrupting = false;
    }

    /** What it does at the moment. By anyone. */
    @Override
    public List<StackTraceElement> stack() {
        var mine = thread;
        return mine == null ? List.of() : List.of(mine.getStackTrace());
    }

    boolean waits() {
        return waits;
    }

    // ---- The thread. ----

    @Override
    public void run() {
        thread = Thread.currentThread();
        adopt();
        while (true) {
            Interleave.here();
            var given = next == null ? null : (StandInRun) NEXT.getAndSet(this, (StandInRun) null);
            if (given != null) {
                if (!work(given)) {
                    break;
                }
            } else if (ends) {
                break;
            } else {
                Thread.interrupted(); // with the flag set it would not park
                LockSupport.park(this);
            }
        }
        end();
    }

    /** Handles a message; false if it was left alone with it. */
    private boolean work(StandInRun mine) {
        begin(mine);
        try {
            LogContext.putAside();
            LogContext.begin(mine.guest);
            Carried.around(mine.carried, () -> {
                listen();
                mine.run();
                stopListening();
            });
            LogContext.restore(null);
        } catch (Throwable ours) {
            mine.fail(ours);
            stopListening();
        }
        if (!mine.end()) {
            finishLate(mine);
            return false;
        }
        grasp = null;
        job = null;
        return true;
    }

    private void begin(StandInRun mine) {
        grasp = mine;
        mine.guest.visit(this);
        job = mine.guest;
        mine.begin();
    }

    private void listen() {
        // mutant: stand-in-does-not-clear-its-interrupt
        Thread.interrupted(); // first clear: what comes from here on is for this message
        deaf = false;
        repeatMissed();
    }

    /** No interrupt comes after this. */
    private void stopListening() {
        deaf = true;
        awaitInterrupt();
    }

    private void repeatMissed() {
        awaitInterrupt();
        if (missed) {
            missed = false;
            Thread.currentThread().interrupt();
        }
    }

    private void awaitInterrupt() {
        Interleave.here();
        if (interrupting) { // its turn does nothing but look and interrupt: this is short
            var backoff = new Backoff();
            while (interrupting) {
                backoff.pause();
            }
        }
    }

    /** The actor has gone on without this one. */
    private void finishLate(StandInRun mine) {
        var left = mine.takeLeft();
        if (left != null) {
            Thread.interrupted();
            Termination.runHook(mine.cell, new ClosingHook(left::close));
        }
        // mutant: scope-keeps-an-abandoned-handler-that-has-ended
        mine.cell.spec().scope().abandoned().remove(this);
    }

    // ---- By the handler, and what it calls. ----

    @Override
    public boolean worksFor(Cell cell) {
        return grasp != null && grasp.cell == cell;
    }

    /** Whether this turn stands for the actor that it works for. */
    @Override
    public boolean isStoodForBy(Activation guest) {
        var mine = grasp;
        return mine != null && mine.guest == guest;
    }

    /** Whether its actor has gone on without it. */
    @Override
    public boolean isAbandoned() {
        var mine = grasp;
        return mine != null && mine.isAbandoned();
    }

    /** What the handler has to end in time. */
    @Override
    public @Nullable TimedAnswer<?> deadline() {
        return mine().deadline;
    }

    /** Says so. */
    @Override
    public void deadline(@Nullable TimedAnswer<?> deadline) {
        mine().deadline = deadline;
    }

    private StandInRun mine() {
        var mine = grasp;
        if (mine == null) {
            throw new AssertionError("no handler is at work here");
        }
        return mine;
    }

    /** Does what only the actor may do; throws if it has gone on without this. */
    @Override
    public <T extends @Nullable Object> T inside(Supplier<T> step) {
        StackReserve.require();
        var mine = mine();
        if (!mine.enter()) {
            throw refusal();
        }
        try {
            return step.get();
        } finally {
            mine.leave();
        }
    }

    /** Does what only the actor may do; nothing, if it has gone on without this. */
    @Override
    public void insideIfAny(Runnable step) {
        var mine = mine();
        if (mine.enter()) {
            try {
                step.run();
            } finally {
                mine.leave();
            }
        }
    }

    /** Throws if the actor has gone on without this. */
    @Override
    public void requireHeld() {
        if (isAbandoned()) {
            throw refusal();
        }
    }

    private HandlerAbandonedException refusal() {
        var mine = mine();
        var nanos = mine.nanos();
        return new HandlerAbandonedException("actor '" + mine.cell.name()
                + "' has gone on without this thread, which began to work on a message of "
                + mine.message.getName() + " " + Durations.text(nanos)
                + " ago: it may send messages, but not act as the actor, nor wait for answers; let the handler end",
                mine.cell.name(), Duration.ofNanos(nanos));
    }

    /** Another actor's turn runs on top of the handler, which is not interrupted meanwhile. */
    @Override
    public void lend(Runnable run) {
        stopListening();
        var interrupted = Thread.interrupted();
        try {
            run.run();
        } finally {
            deaf = false;
            repeatMissed();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The handler begins to wait in a way of ours. Such waits may be inside of one another. */
    @Override
    public void beginWait() {
        if (waitsInside++ == 0) {
            tellTurn(true);
        }
    }

    @Override
    public void endWait() {
        if (--waitsInside == 0) {
            tellTurn(false);
        }
    }

    /** Parks its own thread, until it is unparked or interrupted, or for no reason. */
    @Override
    public void park(Object blocker) {
        beginWait();
        LockSupport.park(blocker);
        endWait();
    }

    private void tellTurn(boolean now) {
        var mine = mine();
        if (mine.cell.spec().placement().boundedPool()) {
            waits = now;
            mine.wakeTurn();
        }
    }
}
