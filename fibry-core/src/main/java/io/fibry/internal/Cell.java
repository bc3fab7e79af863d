package io.fibry.internal;

import io.fibry.Actor;
import io.fibry.ActorInterruptedException;
import io.fibry.ActorState;
import io.fibry.Body;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.event.ActorEvent;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An actor. The subclasses are its mailbox; {@link Turn} runs it; {@link Termination} ends it. An idle
 * anonymous actor is this object, so every field counts.
 */
abstract class Cell<M, R extends @Nullable Object> implements Actor<M, R> {
    /** What a mailbox says to a new node. */
    enum Offer {
        /** It is in, and the mailbox was idle: the sender starts a turn with it. */
        WAKE,
        /** It is in. */
        QUEUED,
        /** It is not in: there is no room. */
        FULL,
        /** It is not in: the actor has stopped. */
        CLOSED
    }

    private static final VarHandle COMPANION;
    private static final VarHandle FINISHED;

    static {
        try {
            var lookup = MethodHandles.lookup();
            COMPANION = lookup.findVarHandle(Cell.class, "companion", Companion.class);
            FINISHED = lookup.findVarHandle(Cell.class, "finished", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Behavior behavior;
    private final ActorSpec spec;
    private volatile @Nullable Companion companion;
    /** The thread that runs a handler of this actor and may be interrupted for it. Written by the turn. */
    private volatile @Nullable Thread thread;
    /** How many nodes turns are done with. Written by the turn, opaque. */
    private long finished;

    Cell(ActorSpec spec, Behavior behavior) {
        this.spec = spec;
        this.behavior = behavior;
    }

    // ---- The mailbox. ----

    /** Puts a node in. Called by any thread. */
    abstract Offer offer(Node node);

    /** Puts a node in, whatever the bound. Called by any thread. */
    Offer offerPastBound(Node node) {
        return offer(node);
    }

    /** The node a turn begins with, given the one it was started with. Like all that follow: by the turn. */
    abstract @Nullable Node first(Node token);

    /** Takes the node after {@code last}; null if none is linked yet. */
    abstract @Nullable Node poll(@Nullable Node last);

    /** Waits for the sender that is between announcing its node and linking it. */
    abstract void awaitLink(@Nullable Node last);

    /** Makes the mailbox idle, so that the next sender starts a turn; false if there is another node. */
    abstract boolean becomeIdle(@Nullable Node last);

    /** Takes an idle mailbox back; the new {@code last}, or null if a sender was faster. */
    abstract @Nullable Node reclaim();

    /** Closes the mailbox and hands what is in it to the consumer, in order. */
    abstract void closeMailbox(@Nullable Node last, Consumer<Node> leftOver);

    /** Closes the mailbox if it is idle. By any thread. */
    abstract boolean closeIfIdle();

    /** Deals with a node that found no room; false if it is lost. By any thread. */
    abstract boolean overflow(Node node, long limitNanos);

    /** How many nodes a selective receive has taken and put aside; they still wait. By the turn. */
    void passedOver(int now) {
    }

    /** Whether nothing waits and nothing runs. By any thread. */
    abstract boolean isIdle();

    // ---- Sending. ----

    @Override
    public final boolean sendMessage(M message) {
        return send(new MessageNode(Objects.requireNonNull(message, "message")), Long.MAX_VALUE);
    }

    @Override
    public final void accept(M message) {
        sendMessage(message);
    }

    @Override
    public final CompletableFuture<R> sendMessageReturn(M message) {
        return ask(message, new Answer<>(this), Long.MAX_VALUE);
    }

    @Override
    public final CompletableFuture<R> sendMessageReturn(M message, Duration timeout) {
        Objects.requireNonNull(message, "message");
        var nanos = Durations.positiveNanos(timeout, "timeout");
        var answer = new TimedAnswer<R>(this, message.getClass(), nanos);
        answer.arm();
        return ask(message, answer, nanos);
    }

    @SuppressWarnings("unchecked") // the engine handles answers of any type alike
    private Answer<R> ask(M message, Answer<R> answer, long limitNanos) {
        send(new AskNode(Objects.requireNonNull(message, "message"), (Answer<@Nullable Object>) answer),
                limitNanos);
        return answer;
    }

    @Override
    public final R sendMessageReturnWait(M message) throws ExecutionException, InterruptedException {
        return sendMessageReturn(message).get();
    }

    @Override
    public final R sendMessageReturnWait(M message, R onFailure) throws InterruptedException {
        try {
            return sendMessageReturn(message).get();
        } catch (ExecutionException e) {
            return onFailure; // reported already: by the handler's failure, or as undelivered
        }
    }

    @Override
    public final R apply(M message) {
        try {
            return sendMessageReturn(message).get();
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ActorInterruptedException(
                    "interrupted while waiting for the answer of actor '" + name() + "'");
        }
    }

    @Override
    public final void execute(Runnable code) {
        Objects.requireNonNull(code, "code");
        if (!send(new TaskNode(asCallable(code::run), code, null), Long.MAX_VALUE)) {
            throw new RejectedExecutionException("actor '" + name() + "' did not accept the code: it is "
                    + state() + ", its mailbox is " + spec.mailbox());
        }
    }

    @Override
    public final boolean execAsync(Body code) {
        Objects.requireNonNull(code, "code");
        return send(new TaskNode(asCallable(code), code, null), Long.MAX_VALUE);
    }

    @Override
    public final void execAndWait(Body code) throws ExecutionException, InterruptedException {
        Objects.requireNonNull(code, "code");
        task(asCallable(code), code).get();
    }

    @Override
    public final <T extends @Nullable Object> CompletableFuture<T> execFuture(Callable<T> code) {
        return task(Objects.requireNonNull(code, "code"), code);
    }

    @SuppressWarnings("unchecked") // the engine handles answers of any type alike
    private <T extends @Nullable Object> Answer<T> task(Callable<T> code, Object shown) {
        var answer = new Answer<T>(this);
        send(new TaskNode(code, shown, (Answer<@Nullable Object>) answer), Long.MAX_VALUE);
        return answer;
    }

    private static Callable<@Nullable Object> asCallable(Body code) {
        return () -> {
            code.run();
            return null;
        };
    }

    /** Sends a node; false if it was not accepted, which has then been reported. */
    final boolean send(Node node, long limitNanos) {
        if (hasClosed()) {
            lose(node, Cause.STOPPED, null);
            return false;
        }
        Interleave.here();
        switch (offer(node)) {
            case WAKE -> start(node);
            case QUEUED -> {
            }
            case FULL -> {
                return overflow(node, limitNanos);
            }
            case CLOSED -> {
                lose(node, Cause.STOPPED, null);
                return false;
            }
        }
        return true;
    }

    /** Starts a turn for a node that found the mailbox idle. */
    final void start(Node node) {
        Interleave.here();
        var seen = companion;
        if (seen != null) {
            var handover = seen.handover;
            if (handover != null) {
                handover.give(node);
                return;
            }
        }
        submit(new Turn(this, node));
    }

    final void submit(Turn turn) {
        try {
            executor().execute(turn);
        } catch (Throwable refusal) {
            turn.refuse(refusal);
            Strategies.FIBER_EXECUTOR.execute(turn);
        }
    }

    private Executor executor() {
        var shared = spec.placement().executor();
        return shared != null ? shared : Objects.requireNonNull(companion().executor);
    }

    /** Sends a control node, which has no fate to report. */
    final void sendControl(Node node) {
        if (!hasClosed() && offer(node) == Offer.WAKE) {
            start(node);
        }
    }

    /** Sends a control node from a thread that must not run handlers. */
    final void sendControlAway(Node node) {
        if (!hasClosed() && offer(node) == Offer.WAKE) {
            if (spec.placement().mayRunInPlace()) {
                Strategies.FIBER_EXECUTOR.execute(() -> start(node));
            } else {
                start(node);
            }
        }
    }

    // ---- Stopping. ----

    @Override
    public final void askExit() {
        companion().exit(Reason.EXIT);
        wakeForExit(Reason.EXIT);
    }

    @Override
    public final void sendPoisonPill() {
        wakeForExit(Reason.POISON_PILL);
    }

    private void wakeForExit(Reason reason) {
        if (!Termination.ofIdle(this, reason)) {
            sendControl(new StopNode(reason));
        }
    }

    @Override
    public final StopReport stop(Duration deadline) {
        return Stopping.stop(this, Durations.nanos(deadline, "deadline"));
    }

    @Override
    public final void waitForExit() {
        Stopping.await(this, Long.MAX_VALUE);
    }

    @Override
    public final boolean waitForExit(Duration timeout) {
        return Stopping.await(this, Durations.nanos(timeout, "timeout"));
    }

    @Override
    public final void close() {
        Stopping.close(this);
    }

    @Override
    public final Actor<M, R> closeOnExit(AutoCloseable resource) {
        Objects.requireNonNull(resource, "resource");
        var mine = companion();
        if (mine.addHook(resource::close)) {
            spec.scope().holdOn(this);
        } else {
            Termination.runHook(this, resource::close);
        }
        return this;
    }

    // ---- What it looks like from outside. ----

    @Override
    public final String name() {
        var name = spec.name();
        return name != null ? name : "anonymous-" + Integer.toHexString(System.identityHashCode(this));
    }

    @Override
    public final ActorState state() {
        var seen = companion;
        if (seen != null) {
            if (seen.phase == Companion.Phase.STOPPED) {
                return ActorState.STOPPED;
            }
            if (seen.phase == Companion.Phase.STOPPING || seen.exitReason() != null) {
                return ActorState.STOPPING;
            }
        }
        return isIdle() ? ActorState.IDLE : ActorState.BUSY;
    }

    @Override
    public final Counters counters() {
        var done = (long) FINISHED.getOpaque(this);
        var seen = companion;
        if (seen == null) {
            return new Counters(done, 0, 0, 0, 0, 0);
        }
        // Between the reads a turn may have gone on; at rest the difference is exact.
        return new Counters(Math.max(0, done - seen.counted(Fates.Kind.NOT_HANDLED)),
                seen.counted(Fates.Kind.FAILED), seen.counted(Fates.Kind.EXPIRED),
                seen.counted(Fates.Kind.DROPPED), seen.counted(Fates.Kind.REFUSED),
                seen.counted(Fates.Kind.UNDELIVERED));
    }

    @Override
    public final String toString() {
        return "Actor[" + name() + ", " + state() + ", " + mailboxSize() + " waiting]";
    }

    // ---- For the engine. ----

    final ActorSpec spec() {
        return spec;
    }

    final @Nullable Companion companionIfAny() {
        return companion;
    }

    final Companion companion() {
        var seen = companion;
        if (seen != null) {
            return seen;
        }
        var fresh = new Companion();
        var before = (Companion) COMPANION.compareAndExchange(this, (Companion) null, fresh);
        return before != null ? before : fresh;
    }

    final @Nullable Waiting waiting() {
        var seen = companion;
        return seen == null ? null : seen.waiting;
    }

    final boolean exitRequested() {
        var seen = companion;
        return seen != null && seen.exitReason() != null;
    }

    final boolean hasClosed() {
        var seen = companion;
        return seen != null && seen.phase != Companion.Phase.LIVE;
    }

    final String stopReason() {
        var seen = companion;
        var reason = seen == null ? null : seen.exitReason();
        return reason == null ? "idle, and was asked to" : reason.toString();
    }

    final @Nullable Thread thread() {
        return thread;
    }

    /** A handler may run from here on: this thread may be interrupted for it. */
    final void enter(Thread current) {
        thread = current;
    }

    /** No handler runs from here on: no interrupt meant for this actor reaches this thread any more. */
    final void leave(boolean clearFlag) {
        thread = null;
        var seen = companion;
        if (seen != null) {
            Interrupts.await(seen, clearFlag);
        } else if (clearFlag) {
            Thread.interrupted();
        }
    }

    /** Whether the handler works on this answer; known only where somebody may interrupt it for that. */
    final boolean isRunning(Answer<?> answer) {
        var seen = companion;
        return seen != null && seen.running == answer;
    }

    final void startsAnswer(Answer<?> answer) {
        if (spec.interruptOnCancel()) {
            companion().running = answer;
        }
    }

    final void endsAnswer() {
        if (spec.interruptOnCancel()) {
            var mine = companion();
            mine.running = null;
            Interrupts.await(mine, true);
        }
    }

    final void interruptAnswer(Answer<?> answer) {
        if (spec.interruptOnCancel()) {
            Interrupts.answer(this, answer);
        }
    }

    /** A turn is done with a node that it handled. */
    final void finished() {
        FINISHED.setOpaque(this, finished + 1);
    }

    /** A turn is done with a node that met another fate, or is no message. */
    final void finishedOtherwise() {
        companion().count(Fates.Kind.NOT_HANDLED);
        finished();
    }

    final long finishedSoFar() {
        return (long) FINISHED.getOpaque(this);
    }

    final void count(Fates.Kind fate) {
        companion().count(fate);
        spec.scope().fates().add(fate, 1);
    }

    /** A node will not be handled: counts it, tells its asker, reports it. */
    final void lose(Node node, Cause cause, @Nullable Throwable why) {
        if (node.isControl()) {
            return;
        }
        if (node.isOver()) {
            count(Fates.Kind.EXPIRED);
            node.clear();
            return;
        }
        count(Losses.fate(cause));
        var content = node.content();
        node.lost(this, cause, why);
        node.clear();
        report(new Undelivered(name(), content, cause));
    }

    final void report(ActorEvent event) {
        spec.scope().events().report(event);
    }
}
