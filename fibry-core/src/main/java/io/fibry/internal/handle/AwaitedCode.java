package io.fibry.internal.handle;

import io.fibry.AskCycleException;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Code;
import io.fibry.internal.actor.Code.HeldCode;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.actor.ForwardingBehavior;
import io.fibry.internal.actor.Interrupts;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.cycles.WaitGraph;
import io.fibry.internal.layer.ReceivingLayer;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.report.ShownAs;
import io.fibry.internal.run.Gate;
import io.fibry.internal.run.Runner;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Code that runs inside an actor while its sender waits. When the wait is over, the code has ended or never begins.
 * While the code is queued, the wait is an edge of the graph that gives way: if it is part of a cycle, it ends, and the
 * other waits of the cycle go on. When the code has begun, the wait lasts until the code has ended.
 *
 * <pre>
 *   state: QUEUED -> BEGUN       the turn of the actor, by CAS, before it runs the code
 *          QUEUED -> WITHDRAWN   by CAS: the sender, whose wait was interrupted or has failed; or a thread that has found a cycle
 *          BEGUN  -> ENDED       the turn, after the code
 * </pre>
 *
 * <p>The edge is published before the code is sent. So what the code waits for never closes a cycle that its sender
 * finds: the code, which publishes its edge later, finds it.
 *
 * <p>An interrupt of the sender is passed on to the code. The sender counts itself among the interrupters of the actor, reads
 * {@code BEGUN}, and interrupts; the turn writes {@code ENDED} and then waits until no interrupter is left. So the interrupt
 * never reaches what the actor does after the code.
 */
public final class AwaitedCode<T extends @Nullable Object>
        implements
            ReplyHandler<Object, T>,
            ShownAs,
            Waiting,
            HeldCode {
    private enum State {
        QUEUED, BEGUN, ENDED, WITHDRAWN
    }

    private static final VarHandle STATE = FieldAccess.of(MethodHandles.lookup(), "state", State.class);

    private final Handle<?, ?> cell;
    private final ReplyHandler<Object, T> code;
    private final Gate ended = new Gate();
    /** Written by the turn; from {@code QUEUED} by CAS, as the sender and threads that have found a cycle do. */
    private volatile State state = State.QUEUED;
    /**
     * Set by the sender before the code is sent; the sender then reads {@link #cycle}, so the answer fails if
     * the hold was withdrawn.
     */
    private volatile @Nullable Answer<?> answer;
    /** Why the wait has given way. Written by a thread that has found a cycle, before its CAS on {@link #state}. */
    private volatile @Nullable AskCycleException cycle;
    /** Whether the code was interrupted for its sender. Set by the sender before it interrupts. */
    private volatile boolean interrupted;
    /** Why the wait has failed. Accessed by the sender only. */
    private @Nullable Throwable refusal;
    // Written by the turn before the state is ENDED.
    private @Nullable T value;
    private @Nullable Throwable thrown;

    private AwaitedCode(Handle<?, ?> cell, ReplyHandler<Object, T> code) {
        this.cell = cell;
        this.code = code;
    }

    static <T extends @Nullable Object> T run(Handle<?, ?> cell, Callable<T> code, Duration timeout)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(code, "code");
        return run(cell, new WithoutState<>(code), false, Durations.positiveNanos(timeout, "timeout"));
    }

    static <T extends @Nullable Object> T runWithState(Handle<?, ?> cell, ReplyHandler<Object, T> code,
            Duration timeout) throws ExecutionException, InterruptedException {
        Objects.requireNonNull(code, "code");
        cell.requireState();
        return run(cell, code, true, Durations.positiveNanos(timeout, "timeout"));
    }

    private record WithoutState<T extends @Nullable Object>(
            Callable<T> code) implements ReplyHandler<Object, T>, ShownAs {
        @Override
        public T handle(Object state) throws Exception {
            return code.call();
        }
    }

    private static <T extends @Nullable Object> T run(Handle<?, ?> cell,
            ReplyHandler<Object, T> code,
            boolean usesState, long timeoutNanos)
            throws ExecutionException, InterruptedException {
        check(cell);
        if (Thread.interrupted()) {
            throw new InterruptedException(
                    "interrupted before it gave code to actor '" + cell.name() + "': nothing was sent");
        }
        StackReserve.require();
        return new AwaitedCode<>(cell, code).run(usesState, timeoutNanos);
    }

    private static void check(Handle<?, ?> cell) {
        var extended = cell.extendedStateIfAny();
        var why = cell.spec.layer(ReceivingLayer.class) != null
                ? "receives messages in its own code, which cannot be held"
                : cell.behavior instanceof ForwardingBehavior
                        ? "hands its messages to workers, which have nothing in common to hold"
                : extended != null && mayAbandon(extended)
                        ? "abandons stuck handlers, so the code could go on when it is not held any more"
                : null;
        if (why != null) {
            throw new IllegalArgumentException("actor '" + cell.name() + "' " + why
                    + "; hold other actors, or send a message to this one");
        }
    }

    private static boolean mayAbandon(ExtendedState extended) {
        for (var each : extended.features()) {
            if (each.mayAbandon()) {
                return true;
            }
        }
        return false;
    }

    private T run(boolean usesState, long timeoutNanos)
            throws ExecutionException, InterruptedException {
        WaitGraph.enter(this);
        try {
            return await(send(usesState, timeoutNanos));
        } finally {
            WaitGraph.leave();
        }
    }

    @SuppressWarnings("unchecked") // the result is that of the code
    private Answer<T> send(boolean usesState, long timeoutNanos) {
        var task = usesState ? (Callable<T>) cell.withState(this) : new Task<>(this);
        var sent = cell.task(task, timeoutNanos, new Sent(this));
        assert Interleave.here();
        var why = cycle;
        if (why != null) {
            sent.completeExceptionally(why); // the thread that has found the cycle may have found no answer
        } else if (state == State.QUEUED) {
            publishAgain(sent);
        }
        return sent;
    }

    /** A sender that has waited for room in the mailbox has lost its edge. */
    private void publishAgain(Answer<T> sent) {
        var turn = Current.turn();
        if (turn != null && turn.cell.waiting() != this) {
            try {
                WaitGraph.enter(this);
            } catch (AskCycleException closed) {
                if (withdraw()) {
                    cycle = closed;
                    sent.completeExceptionally(closed);
                }
            }
        }
    }

    private record Sent(AwaitedCode<?> hold) implements Consumer<Answer<?>> {
        @Override
        public void accept(Answer<?> answer) {
            hold.answer = answer;
        }
    }

    /** The code as what the actor runs, if that needs no state. */
    record Task<T extends @Nullable Object>(AwaitedCode<T> hold) implements Callable<T>, ShownAs {
        @Override
        public Object code() {
            return hold;
        }

        @Override
        public T call() throws Exception {
            return hold.handle(hold); // code without a state ignores it
        }
    }

    private T await(Answer<T> sent) throws ExecutionException, InterruptedException {
        var wasInterrupted = false;
        try {
            while (true) {
                try {
                    awaitOnce(sent);
                    return result(sent);
                } catch (InterruptedException mine) {
                    if (withdraw()) {
                        sent.cancel(false);
                        throw mine;
                    }
                    wasInterrupted = true;
                    interrupt();
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void awaitOnce(Answer<T> sent) throws InterruptedException {
        if (!sent.isDone()) {
            sent.runTarget(Runner.current());
        }
        try {
            var unused = sent.await();
        } catch (ExecutionException failed) {
            refusal = failed.getCause(); // unless the code has begun, although its time is over
        }
        if (!withdraw() && state == State.BEGUN) {
            ended.await(SystemTime.INSTANCE, Long.MAX_VALUE);
        }
    }

    @SuppressWarnings("NullAway") // the value is null only if T may be
    private T result(Answer<T> sent) throws ExecutionException {
        if (state == State.ENDED) {
            if (thrown != null) {
                throw new ExecutionException(thrown);
            }
            return value;
        }
        var why = cycle;
        if (why != null) {
            throw why;
        }
        throw new ExecutionException(refusal != null ? refusal : sent.exceptionNow());
    }

    private boolean withdraw() {
        return STATE.compareAndSet(this, State.QUEUED, State.WITHDRAWN);
    }

    @Override
    public boolean mayGiveWay() {
        return true;
    }

    @Override
    public boolean giveWay(AskCycleException why) {
        if (state != State.QUEUED) {
            return false;
        }
        cycle = why;
        assert Interleave.here();
        if (!withdraw()) {
            return false;
        }
        assert Interleave.here();
        var sent = answer;
        if (sent != null) {
            sent.completeExceptionally(why);
        }
        return true;
    }

    @Override
    public Object code() {
        return code;
    }

    /** Runs the code. Called by the turn of the actor. */
    @Override
    @SuppressWarnings("NullAway") // the result is not used if the code does not run
    public T handle(Object actorsState) throws Exception {
        // mutant: code-runs-although-its-sender-has-left
        if (!STATE.compareAndSet(this, State.QUEUED, State.BEGUN)) {
            return null;
        }
        var extended = cell.extendedState();
        extended.held = this;
        try {
            value = code.handle(actorsState);
            return value;
        } catch (Throwable failure) {
            thrown = failure;
            throw failure;
        } finally {
            state = State.ENDED;
            assert Interleave.here();
            Interrupts.await(extended, interrupted && !extended.forced);
            extended.held = null;
            ended.open();
        }
    }

    private void interrupt() {
        interrupted = true;
        assert Interleave.here();
        Interrupts.held(cell, this);
    }

    @Override
    public boolean isInterrupted() {
        return interrupted;
    }

    @Override
    public boolean hasBegun() {
        return state == State.BEGUN;
    }

    @Override
    public Cell target() {
        return cell;
    }

    @Override
    public boolean isOver() {
        var seen = state;
        return seen == State.ENDED || seen == State.WITHDRAWN;
    }
}
