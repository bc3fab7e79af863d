package io.fibry.internal.handle;

import io.fibry.MailboxFullException;
import io.fibry.Request;
import io.fibry.StatefulActor;
import io.fibry.StopReport;
import io.fibry.function.Body;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.AskNode;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Code;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.actor.FateAnswer;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.TimeLimit;
import io.fibry.internal.aside.UrgentLane;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.deadline.TimedAnswer;
import io.fibry.internal.deadline.TimedRequest;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.reply.RequestAnswer;
import io.fibry.internal.reply.SharedTurnAnswer;
import io.fibry.internal.report.ContentClass;
import io.fibry.internal.report.Fates;
import io.fibry.internal.report.ShownAs;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An actor as its users see it. It turns their calls into nodes. Actors without a state have the same handle, whose
 * users do not see the methods for the state.
 */
@SuppressWarnings("overloads") // see Actor
public abstract class Handle<M, R extends @Nullable Object> extends Cell
        implements
            StatefulActor<Object, M, R> {
    public Handle(ActorSpec spec, Behavior behavior) {
        super(spec, behavior);
    }

    @Override
    public final boolean sendMessage(M message) {
        return putMessage(Objects.requireNonNull(message, "message"))
                || send(MessageNode.to(spec, message), Long.MAX_VALUE);
    }

    @Override
    public final boolean sendMessage(M message, Duration timeToLive) {
        Objects.requireNonNull(message, "message");
        var nanos = Durations.positiveNanos(timeToLive, "timeToLive");
        return send(MessageNode.expiring(spec, message, nanos, null), nanos);
    }

    @Override
    public final CompletableFuture<MessageFate> sendTracked(M message) {
        Objects.requireNonNull(message, "message");
        StackReserve.require();
        var fate = new FateAnswer(this);
        return send(MessageNode.tracked(spec, message, fate), Long.MAX_VALUE, fate);
    }

    @Override
    public final CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive) {
        Objects.requireNonNull(message, "message");
        var nanos = Durations.positiveNanos(timeToLive, "timeToLive");
        StackReserve.require();
        var fate = new FateAnswer(this);
        return send(MessageNode.expiring(spec, message, nanos, fate), nanos, fate);
    }

    private CompletableFuture<MessageFate> send(MessageNode node, long limitNanos, FateAnswer fate) {
        try {
            send(node, limitNanos);
        } catch (MailboxFullException full) {
            if (!fate.isDone()) {
                throw full; // not by the policy of a mailbox or a scope, whose refusal is the fate of the message
            }
        }
        return fate;
    }

    @Override
    public final boolean sendUrgent(M message) {
        Objects.requireNonNull(message, "message");
        return UrgentLane.of(this).send(message);
    }

    /** Returns whether a message needs nothing but its place in the mailbox: no check, no parcel. */
    protected final boolean takesMessagesAlone() {
        var seen = extendedState;
        var carriers = spec.carriers;
        return (seen == null || seen.isOpen()) && (carriers == null || carriers.passNext());
    }

    /** Notes that a message which needed nothing but its place did not get it: its node counts instead. Returns false. */
    protected final boolean needsNode() {
        var carriers = spec.carriers;
        if (carriers != null) {
            carriers.takeBackPassed();
        }
        return false;
    }

    @Override
    public final void accept(M message) {
        sendMessage(message);
    }

    @Override
    public final CompletableFuture<R> sendMessageReturn(M message) {
        var deadline = TimeLimit.current();
        if (deadline != null) {
            return ask(message, Long.MAX_VALUE, deadline);
        }
        return ask(message, spec.mayBeRunByCallers ? new SharedTurnAnswer<>(this, false) : new Answer<>(this),
                Long.MAX_VALUE);
    }

    /**
     * Throws if the calling thread is interrupted. On some strategies the asked actor runs before the flag is
     * checked again, so the flag is checked first on all of them.
     */
    private void requireNotInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException(
                    "interrupted before it asked actor '" + name() + "': nothing was sent");
        }
    }

    @Override
    public final <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request) {
        Objects.requireNonNull(request, "request");
        var deadline = TimeLimit.current();
        return deadline == null
                ? ask(request, RequestAnswer.<A>to(this), Long.MAX_VALUE)
                : ask(request, Long.MAX_VALUE, deadline);
    }

    @Override
    public final <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request,
            Duration timeout) {
        Objects.requireNonNull(request, "request");
        return ask(request, Durations.positiveNanos(timeout, "timeout"), TimeLimit.current());
    }

    private <A extends @Nullable Object> Answer<A> ask(Request<A> request, long timeoutNanos,
            @Nullable TimeLimit deadline) {
        StackReserve.require(); // before a timer is set
        return askInTime(request,
                TimedRequest.to(this, ContentClass.of(request), timeoutNanos, deadline));
    }

    @Override
    public final <A extends @Nullable Object> A requestWait(Request<A> request)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(request, "request");
        requireNotInterrupted();
        if (TimeLimit.current() != null || !spec.mayBeRunByCallers) {
            return request(request).get();
        }
        var answer = RequestAnswer.<A>shared(this);
        try {
            return ask(request, answer, Long.MAX_VALUE).get();
        } finally {
            answer.submitLeftOver();
        }
    }

    @Override
    public final <A extends @Nullable Object> A requestWait(Request<A> request, Duration timeout)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(request, "request");
        Durations.positiveNanos(timeout, "timeout");
        requireNotInterrupted();
        return request(request, timeout).get();
    }

    private R askAndWait(M message) throws ExecutionException, InterruptedException {
        Objects.requireNonNull(message, "message");
        requireNotInterrupted();
        return sendAndWait(message);
    }

    /** Sends the message first. So an interrupt ends the wait, and not the send. */
    private R sendAndWait(M message) throws ExecutionException, InterruptedException {
        if (TimeLimit.current() != null) {
            return sendMessageReturn(message).get();
        }
        StackReserve.require(); // one check for all that follows: the send, what it starts, and the wait
        if (!spec.mayBeRunByCallers) {
            return askWithReserve(message, new Answer<>(this)).getWithReserve();
        }
        var answer = new SharedTurnAnswer<R>(this, true);
        try {
            return askWithReserve(message, answer).getWithReserve();
        } finally {
            answer.submitLeftOver();
        }
    }

    @Override
    public final CompletableFuture<R> ask(M message, Duration timeout) {
        return ask(message, Durations.positiveNanos(timeout, "timeout"), TimeLimit.current());
    }

    private Answer<R> ask(M message, long timeoutNanos, @Nullable TimeLimit deadline) {
        Objects.requireNonNull(message, "message");
        StackReserve.require(); // before a timer is set
        return askInTime(message, TimedAnswer.<R>to(this, ContentClass.of(message), timeoutNanos, deadline));
    }

    private <T extends @Nullable Object> Answer<T> askInTime(Object message, TimedAnswer<T> answer) {
        if (isTooLate(answer)) {
            return answer;
        }
        Answer<T> asked;
        try {
            asked = ask(message, answer, answer.timeoutNanos());
        } catch (Throwable notSent) {
            answer.stopClock();
            throw notSent;
        }
        answer.markSent();
        return asked;
    }

    /**
     * Returns whether the time of the handler that asks was over already: the ask then expires before it is
     * sent.
     */
    private boolean isTooLate(TimedAnswer<?> answer) {
        if (answer.isSent()) {
            return false;
        }
        count(Fates.Kind.EXPIRED);
        return true;
    }

    @SuppressWarnings("unchecked") // the engine handles answers of any type alike
    private <T extends @Nullable Object> Answer<T> ask(Object message, Answer<T> answer, long limitNanos) {
        send(AskNode.to(spec, Objects.requireNonNull(message, "message"),
                (Answer<@Nullable Object>) answer),
                limitNanos);
        return answer;
    }

    @SuppressWarnings("unchecked") // the engine handles answers of any type alike
    private Answer<R> askWithReserve(M message, Answer<R> answer) {
        send(AskNode.to(spec, message, (Answer<@Nullable Object>) answer), Long.MAX_VALUE, true);
        return answer;
    }

    @Override
    public final R sendMessageReturnWait(M message) throws ExecutionException, InterruptedException {
        return askAndWait(message);
    }

    @Override
    public final R apply(M message) {
        Objects.requireNonNull(message, "message");
        Unanswered.requireNotInterrupted(this);
        try {
            return sendAndWait(message);
        } catch (ExecutionException | InterruptedException e) {
            throw Unanswered.because(e, this);
        }
    }

    @Override
    public final R apply(M message, Duration timeout) {
        Objects.requireNonNull(message, "message");
        Durations.positiveNanos(timeout, "timeout");
        Unanswered.requireNotInterrupted(this);
        try {
            return ask(message, timeout).get();
        } catch (ExecutionException | InterruptedException e) {
            throw Unanswered.because(e, this);
        }
    }

    @Override
    public final void execute(Runnable code) {
        Objects.requireNonNull(code, "code");
        var accepted = false;
        try {
            accepted = tell(new Running(code));
        } catch (MailboxFullException full) {
            throw new RejectedExecutionException(full.getMessage(), full);
        }
        if (!accepted) {
            throw new RejectedExecutionException(
                    "actor '" + name() + "' did not accept the code: it is " + state() + ", its mailbox is "
                            + spec.mailbox
                            + (exitRequested()
                                    ? "; give the code to an actor that goes on, and before the end of its scope"
                                    : "; give it less at a time, or build the actor with more room or a policy that blocks"));
        }
    }

    @Override
    public final boolean execAsync(Body code) {
        Objects.requireNonNull(code, "code");
        return tell(new BodyCall(code));
    }

    /** Gives code to the actor for which nothing waits. */
    private boolean tell(Callable<? extends @Nullable Object> code) {
        return send(MessageNode.to(spec, new Code(code)), Long.MAX_VALUE);
    }

    /** Runs a {@link Runnable} as a {@link Callable}. */
    private record Running(Runnable code) implements Callable<@Nullable Object>, ShownAs {
        @Override
        public @Nullable Object call() {
            code.run();
            return null;
        }
    }

    @Override
    public final void execAndWait(Body code) throws ExecutionException, InterruptedException {
        Objects.requireNonNull(code, "code");
        requireNotInterrupted();
        task(new BodyCall(code)).get();
    }

    @Override
    public final <T extends @Nullable Object> CompletableFuture<T> execFuture(Callable<T> code,
            Duration timeout) {
        Objects.requireNonNull(code, "code");
        return task(code, Durations.positiveNanos(timeout, "timeout"), TimeLimit.current());
    }

    @Override
    public final <T extends @Nullable Object> CompletableFuture<T> execFuture(Callable<T> code) {
        return task(Objects.requireNonNull(code, "code"));
    }

    private <T extends @Nullable Object> Answer<T> task(Callable<T> code) {
        return task(code, Long.MAX_VALUE, TimeLimit.current());
    }

    /** Gives code to the actor; {@code deadline} is the ask that the giver works on. */
    final <T extends @Nullable Object> Answer<T> task(Callable<T> code, long timeoutNanos,
            @Nullable TimeLimit deadline) {
        return task(code, timeoutNanos, deadline, null);
    }

    /** As the other method of this name, with a time limit; {@code prepare} gets the answer before the code is sent. */
    final <T extends @Nullable Object> Answer<T> task(Callable<T> code, long timeoutNanos,
            Consumer<Answer<?>> prepare) {
        return task(code, timeoutNanos, TimeLimit.current(), prepare);
    }

    @SuppressWarnings("unchecked") // the engine handles answers of any type alike
    private <T extends @Nullable Object> Answer<T> task(Callable<T> task, long timeoutNanos,
            @Nullable TimeLimit deadline, @Nullable Consumer<Answer<?>> prepare) {
        var code = new Code(task);
        if (deadline == null && timeoutNanos == Long.MAX_VALUE) {
            var answer = new Answer<T>(this);
            if (prepare != null) {
                prepare.accept(answer);
            }
            send(AskNode.to(spec, code, (Answer<@Nullable Object>) answer), Long.MAX_VALUE);
            return answer;
        }
        StackReserve.require(); // before a timer is set
        var answer = TimedAnswer.<T>to(this, ContentClass.of(code.content()), timeoutNanos, deadline);
        if (prepare != null) {
            prepare.accept(answer);
        }
        if (!isTooLate(answer)) {
            try {
                send(AskNode.to(spec, code, (Answer<@Nullable Object>) answer), answer.timeoutNanos());
            } catch (Throwable notSent) {
                answer.stopClock();
                throw notSent;
            }
            answer.markSent();
        }
        return answer;
    }

    @Override
    public final <T extends @Nullable Object> T hold(Callable<T> code, Duration timeout)
            throws ExecutionException, InterruptedException {
        return AwaitedCode.run(this, code, timeout);
    }

    @Override
    public final <T extends @Nullable Object> T holdWithState(ReplyHandler<Object, T> code, Duration timeout)
            throws ExecutionException, InterruptedException {
        return AwaitedCode.runWithState(this, code, timeout);
    }

    @Override
    public final boolean hasState() {
        return behavior.hasState();
    }

    @Override
    public final boolean execWithState(Handler<Object> code) {
        return tell(withState(new StateTask.BodyCall(Objects.requireNonNull(code, "code"))));
    }

    @Override
    public final void execWithStateAndWait(Handler<Object> code)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(code, "code");
        requireState();
        requireNotInterrupted();
        taskWithState(code).get();
    }

    /** Gives code to the actor, which runs it with its state; returns the outcome, for which the caller may wait. */
    public final CompletableFuture<@Nullable Object> taskWithState(Handler<Object> code) {
        return task(withState(new StateTask.BodyCall(code)));
    }

    @Override
    @SuppressWarnings("unchecked") // the result is that of the code
    public final <T extends @Nullable Object> CompletableFuture<T> execFutureWithState(
            ReplyHandler<Object, T> code) {
        return task((Callable<T>) withState(Objects.requireNonNull(code, "code")));
    }

    @Override
    @SuppressWarnings("unchecked") // the result is that of the code
    public final <T extends @Nullable Object> CompletableFuture<T> execFutureWithState(
            ReplyHandler<Object, T> code, Duration timeout) {
        return task((Callable<T>) withState(Objects.requireNonNull(code, "code")),
                Durations.positiveNanos(timeout, "timeout"), TimeLimit.current());
    }

    /** Throws if the actor has no state with which code could run. */
    final void requireState() {
        if (!behavior.hasState()) {
            throw StateTask.noState(this);
        }
    }

    final StateTask withState(ReplyHandler<Object, ? extends @Nullable Object> code) {
        requireState();
        return new StateTask(this, code);
    }

    @Override
    public final StopReport stop(Duration deadline) {
        return Stopping.stop(this, Durations.nanos(deadline, "deadline"));
    }

    @Override
    public final CompletableFuture<StopReport> onStopped() {
        return EndAnswer.of(this);
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
    public final StatefulActor<Object, M, R> closeOnExit(AutoCloseable resource) {
        Objects.requireNonNull(resource, "resource");
        var closing = ClosingHook.of(resource);
        var mine = extendedState();
        if (addHook(mine, closing)) {
            spec.scope.holdOn(this);
        } else {
            Termination.runHook(this, closing);
        }
        return this;
    }

    private boolean addHook(ExtendedState mine, Body hook) {
        var standIn = StandIn.of(this);
        if (standIn == null) {
            return mine.addHook(hook);
        }
        standIn.beginInside();
        try {
            return mine.addHook(hook);
        } finally {
            standIn.endInside();
        }
    }
}
