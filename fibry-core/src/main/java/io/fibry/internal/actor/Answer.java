package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import io.fibry.internal.actor.Deferral.RemoteQuestion;
import io.fibry.internal.actor.Services.CycleSearch;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.report.Events;
import io.fibry.internal.run.InterruptibleWait;
import io.fibry.internal.run.Lane;
import io.fibry.internal.run.Lanes;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Runner;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The future that an ask returns. To its users it is a plain {@link CompletableFuture}. It also knows for which actor it
 * waits, so that cycles are detected and time-outs carry details.
 */
public class Answer<T extends @Nullable Object> extends Outcome<T> implements Waiting {
    /** How many times a virtual thread yields before it parks. */
    private static final int YIELDS = 2;
    private static final VarHandle PLACE =
            FieldAccess.of(MethodHandles.lookup(), "place", Object.class);

    /**
     * The actor, or what knows it: the {@link AskNode}, the {@link Deferral} if the handler has deferred the reply, or
     * an {@link UnhandledAsk}. Written by the asker (release) before it links the node, and then (volatile) by the
     * thread that moves, loses, defers or forwards the message, before the answer is complete.
     */
    private Object place;

    public Answer(Cell target) {
        place = target;
    }

    /**
     * Shares the turn that the ask has started, since it found the actor idle. Returns true if the turn is left to the thread
     * that waits, false if it has to be submitted.
     *
     * @param isCode whether the ask is code that runs inside the actor, which no other thread may run
     */
    protected boolean share(Turn started, boolean isCode) {
        return false;
    }

    /** Returns whether the time of this answer is over, and the failure that tells it is not built yet. */
    public boolean isLate() {
        return false;
    }

    /** Returns the answer to a message whose handler has returned this. */
    public @Nullable Object resultOf(Cell cell, Object message, @Nullable Object returned) {
        return returned;
    }

    /** Returns whether this is the answer to a message, and not the end of the actor. */
    public boolean isOfMessage() {
        return true;
    }

    /** Returns whether this answer may fail, since its asker is to end. */
    public boolean mayFail() {
        return true;
    }

    /** Notes that the handler of this actor is about to run; returns false if this answer is over. Called on its turn. */
    public boolean start(Cell cell) {
        return !cell.spec.interruptOnCancel || cell.beginAnswer(this);
    }

    /** Notes that the handler of this actor has ended. Called on its turn. */
    public void end(Cell cell) {
        if (cell.spec.interruptOnCancel) {
            cell.endAnswer(this);
        }
    }

    /** Notes that the handler has not finished the message and has put it aside. Called on its turn. */
    public void setAside(Cell cell) {
        end(cell);
    }

    /**
     * Attaches this answer to the node that is taken back when nothing waits for the answer any more. Called by the sender;
     * only a timer has this answer by then (see {@code TimedAnswer.markSent}). {@link AskNode#takeOver} is for all others.
     */
    final void attachTo(AskNode node) {
        PLACE.setRelease(this, node);
        if (isOver()) {
            node.clear();
        }
    }

    /**
     * Notes that another node carries the message now. Any thread may complete this answer in the meantime. Called by the
     * turn.
     */
    final void moveTo(AskNode node) {
        PLACE.setVolatile(this, node);
    }

    /** Notes that the handler has deferred the reply. The places of the message become free. Called by the turn. */
    public final void defer(Deferral reply) {
        giveBackPlaces();
        PLACE.setVolatile(this, reply);
    }

    /** Gives back the places that the message holds, since it is about to be answered. Called by the turn. */
    public final void giveBackPlaces() {
        if (PLACE.getVolatile(this) instanceof AskNode node) {
            node.giveBackPlaces();
        }
    }

    /** Returns the message that the handler works on; null if it is over. Called by the turn. */
    public final @Nullable Object message() {
        return PLACE.getVolatile(this) instanceof AskNode node ? node.content() : null;
    }

    /** Fails this answer, since no handler gets the message. The node is in no mailbox any more: nothing is taken back. */
    final void lose(Cell mailbox, Throwable why) {
        if (decide()) {
            PLACE.setVolatile(this, new UnhandledAsk(mailbox, null));
            settle(why);
        }
    }

    /** Returns whether no handler has got the message, if this answer has failed. */
    final boolean isLost() {
        return PLACE.getVolatile(this) instanceof UnhandledAsk ended && ended.isLost();
    }

    /** Returns the node of the message; null if the actor has passed it on, or has deferred the reply. */
    public final @Nullable AskNode node() {
        return PLACE.getVolatile(this) instanceof AskNode node ? node : null;
    }

    /** Returns the answer from which this one derives, which is this one if it derives from none. */
    public Answer<?> origin() {
        return this;
    }

    /** Returns the actor, or what knows it. */
    public final Object place() {
        return PLACE.getVolatile(this);
    }

    public final void replace(Object place, Object next) {
        PLACE.compareAndSet(this, place, next);
    }

    /** Returns whether the handler has deferred the reply and has returned. */
    public final boolean isDeferred() {
        return PLACE.getVolatile(this) instanceof Deferral reply && reply.isReleased();
    }

    /** Takes back the message that is queued for this answer, or its deferred reply: nothing waits for it any more. */
    public final void takeBack() {
        var at = PLACE.getVolatile(this);
        if (at instanceof AskNode node) {
            node.takeBack();
        } else if (at instanceof Deferral reply) {
            reply.close();
        }
    }

    /** Notes that this answer was completed, by any thread. Called once or a few times. */
    public void settled() {
    }

    public final void forwardTo(Cell worker) {
        PLACE.setVolatile(this, worker);
    }

    @Override
    public Cell target() {
        var at = PLACE.getVolatile(this);
        return at instanceof AskNode node ? node.cell() : at instanceof Deferral reply ? reply.cell()
                : at instanceof UnhandledAsk ended ? ended.cell() : (Cell) at;
    }

    @Override
    public boolean isOver() {
        return isDone();
    }

    @Override
    public boolean dependsOnTarget() {
        return !isOver() && !isDeferred();
    }

    @Override
    public boolean complete(T value) {
        StackReserve.require();
        var first = succeed(value);
        if (first) {
            takeBack();
        }
        return first;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        StackReserve.require();
        var first = fail(failure);
        if (first) {
            takeBack();
        }
        return first;
    }

    /** Completes this answer for the actor. The actor has taken the message, so there is nothing to take back. */
    public final boolean succeed(T value) {
        if (!decide()) {
            return false;
        }
        try {
            return super.complete(value);
        } finally {
            settled();
        }
    }

    /** As {@link #succeed}, with a failure. */
    public final boolean fail(Throwable failure) {
        return decide() && settle(failure);
    }

    /** As {@link #succeed}, with what the handler has thrown. */
    public final boolean failWith(Throwable thrown) {
        return fail(Outcome.of(thrown));
    }

    /** Completes this answer with a failure, after its outcome was decided. */
    public final boolean settle(Throwable failure) {
        try {
            return super.completeExceptionally(failure);
        } finally {
            settled();
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        StackReserve.require();
        if (!decide()) {
            return isCancelled();
        }
        var first = super.cancel(mayInterruptIfRunning);
        settled();
        if (first) {
            assert Interleave.here();
            takeBack();
            cancelled();
        }
        return first;
    }

    @Override
    public boolean isDirect() {
        return true;
    }

    /**
     * Returns whether the caller may complete this answer. Subclasses override it if the future itself does not decide
     * who completes it first.
     */
    public boolean decide() {
        return true;
    }

    public void cancelled() {
        target().interruptAnswer(this);
    }

    @Override
    public final T get() throws InterruptedException, ExecutionException {
        if (isDone()) {
            return super.get();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException(
                    "interrupted before it waited for actor '" + target().name() + "'");
        }
        StackReserve.require();
        return getByWaiting();
    }

    /** As {@link #get()}, for a caller that has checked its stack, and its interrupt flag, in the calling frame. */
    public final T getWithReserve() throws InterruptedException, ExecutionException {
        return isDone() ? super.get() : getByWaiting();
    }

    private T getByWaiting() throws InterruptedException, ExecutionException {
        var runner = Runner.current();
        if (runner == null) {
            runTarget(null); // outside of actors: no circle is closed, and no handler has a time limit
            return await();
        }
        return runOnTop(runner) ? super.get() : getInside(runner);
    }

    private CycleSearch cycles() {
        return target().spec.scope.services().cycles();
    }

    private T getInside(Runner runner) throws InterruptedException, ExecutionException {
        cycles().begin(this);
        try {
            var limit = limit();
            if (limit == null) {
                runTarget(runner);
            } else if (!awaitDone(limit)) {
                throw new ExecutionException(limit.isOverBefore(this));
            }
            return await();
        } finally {
            cycles().end();
        }
    }

    @Override
    public final T join() {
        if (isDone()) {
            return super.join();
        }
        StackReserve.require();
        var runner = Runner.current();
        if (runner == null) {
            runTarget(null);
            return awaitUninterrupted();
        }
        if (runOnTop(runner)) {
            return super.join();
        }
        cycles().begin(this);
        try {
            var limit = limit();
            if (limit == null) {
                runTarget(runner);
            } else if (!new LimitedWait(this, limit).awaitUninterrupted()) {
                throw new CompletionException(limit.isOverBefore(this));
            }
            return awaitUninterrupted();
        } finally {
            cycles().end();
        }
    }

    @Override
    public final T get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (isDone()) {
            return super.get();
        }
        StackReserve.require();
        cycles().begin(this);
        try {
            var limit = limit();
            return limit != null && limit.nanosLeft() < unit.toNanos(timeout)
                    ? awaitWithin(limit)
                    : awaitFor(timeout, unit);
        } finally {
            cycles().end();
        }
    }

    private T awaitWithin(TimeLimit limit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!awaitDone(limit)) {
            throw new TimeoutException(limit.isOverBefore(this).getMessage());
        }
        return await();
    }

    private T awaitFor(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        Parking.letGo();
        try {
            return await(timeout, unit);
        } catch (TimeoutException e) {
            throw words().noAnswer(this, unit.toNanos(timeout));
        }
    }

    /** Returns the time limit of the current handler, if it ends the wait before the limit of this answer does. */
    private @Nullable TimeLimit limit() {
        var current = TimeLimit.current();
        return current == null || isDueBefore(current) ? null : current;
    }

    /** Returns whether the time of this answer is over when that of a handler is, or before. */
    protected boolean isDueBefore(TimeLimit current) {
        return false;
    }

    /** Waits until this answer is complete; returns false if the limit of the handler was over first. */
    public final boolean awaitDone(TimeLimit limit) throws InterruptedException {
        Parking.letGo(); // nothing may run on top when the time is over
        return awaitDone(limit.time(), limit.nanosLeft());
    }

    /** Waits until this answer is complete, with no timed park; returns false if it took too long. See docs/concurrency.md. */
    public boolean awaitDone(TimeSource time, long nanos) throws InterruptedException {
        if (nanos <= 0) {
            return isDone(); // a time that is moved by hand would run the timer when it is moved the next time
        }
        var over = new WaitLimit();
        var timer = time.schedule(nanos, over);
        var name = beginWait();
        try {
            CompletableFuture.anyOf(this, over).get();
        } catch (ExecutionException e) {
            return true; // the answer is complete; the caller gets the failure when it reads the answer
        } finally {
            Parking.endWait(name);
            timer.cancel();
            over.complete(null); // removes what anyOf has added to this future
        }
        return isDone();
    }

    /**
     * Runs the asked actor on the stack of the actor that waits, if that is the next job here; returns true if this
     * answer is complete then. The caller has checked its stack.
     */
    private boolean runOnTop(Runner runner) {
        if (!mayRunOnTop() || !(runner instanceof Lane lane) || limit() != null) {
            return false;
        }
        AskOnTop.run(lane, this);
        return isDone();
    }

    /** Returns whether the wait for this answer has no limit. With a limit nothing may run on top when the time is over. */
    public boolean mayRunOnTop() {
        return true;
    }

    /**
     * The last step before the thread parks. A virtual thread that runs no actor spins for a moment, if that has helped
     * lately. A virtual thread that is no lane then yields: the lane that it has just started is likely to be next on its
     * carrier, and to have answered when this thread goes on, which is cheaper than to park and to be woken.
     */
    public void runTarget(@Nullable Runner runner) {
        if (runner instanceof Lane lane) {
            lane.letGo();
        } else if (Thread.currentThread().isVirtual()) {
            if (runner == null && !isDone()
                    && target().spec.placement.executor() instanceof Lanes lanes) {
                lanes.awaitForAMoment(this);
            }
            for (int i = 0; i < YIELDS && !isDone(); i++) {
                Thread.yield();
            }
        }
    }

    public T await() throws InterruptedException, ExecutionException {
        var name = beginWait();
        try {
            return super.get();
        } finally {
            Parking.endWait(name);
        }
    }

    public T await(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        var name = beginWait();
        try {
            return super.get(timeout, unit);
        } finally {
            Parking.endWait(name);
        }
    }

    public T awaitUninterrupted() {
        var name = beginWait();
        try {
            return super.join();
        } finally {
            Parking.endWait(name);
        }
    }

    /** See {@link Parking#beginWait}. */
    private @Nullable String beginWait() {
        return isDone() ? null : Parking.beginWait();
    }

    /** Fails the ask, for which no thread will wait: if the message is still queued, it is skipped. */
    public void failAsk(AskCycleException cycle) {
        completeExceptionally(cycle);
    }

    /** Returns, for the messages of time-outs, where the message is. */
    public String details() {
        return words().progress(this);
    }

    private Details words() {
        return target().spec.scope.details();
    }

    /** Returns whether the handler has put the message aside. */
    public final boolean isPutAside() {
        return PLACE.getVolatile(this) instanceof AskNode node && node.seq == Node.ASIDE;
    }

    /** Returns about how many messages are before this one in the mailbox. */
    public final int nodesBefore() {
        return PLACE.getVolatile(this) instanceof AskNode node ? node.cell().before(node) : -1;
    }

    /** Futures that are derived from this one depend on the same actor, so waits for them are edges as well. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new DerivedAnswer<>(this);
    }

    /**
     * A wait for an answer that ends, at the latest, with the time limit of the handler that waits.
     *
     * @param answer what it waits for
     * @param limit the limit
     */
    record LimitedWait(Answer<?> answer, TimeLimit limit) implements InterruptibleWait {
        @Override
        public boolean await() throws InterruptedException {
            return answer.awaitDone(limit);
        }
    }

    /** A future that completes when the time limit of a wait is over. It is itself the task of its timer. */
    public static final class WaitLimit extends CompletableFuture<@Nullable Void> implements Runnable {
        @Override
        public void run() {
            complete(null);
        }
    }

    /**
     * Stands in an {@link Answer} in the place of a message that no handler gets: it is lost, or it was a question to
     * the outside of this process and its time was over before the actor that stands for it has looked at it.
     *
     * @param cell the actor in whose mailbox it was
     * @param question the question whose time was over, until the failure names it; null if the message is lost
     */
    public record UnhandledAsk(Cell cell, @Nullable RemoteQuestion question) {
        public boolean isLost() {
            return question == null;
        }
    }

    /**
     * Runs an asked actor on the stack of the actor that asks, if that one is on a lane which would run the asked
     * actor next.
     */
    public static final class AskOnTop {
        private AskOnTop() {
        }

        /**
         * Runs the actor that is to give this answer, if it is next on the lane, on top of the current actor,
         * which waits for the answer. No other actor is run here: if it got stuck, it would hold up the actor
         * that waits below.
         *
         * <p>The edge that this publishes closes no cycle, so none is searched for: the actor on top was idle,
         * and waits for no other. If it begins to wait, it publishes its own edge by a full fence, and with it
         * this edge, which was written before.
         */
        static void run(Lane lane, Answer<?> answer) {
            var waiting = Current.turnOn(lane);
            if (waiting != null && fits((Turn) lane.slot(), answer) && !waiting.cell.spec.ownStack
                    && waiting.depth() < Turn.MAX_NESTED) {
                var edges = waiting.cell.extendedState(); // before the turn is taken: the extended state may have to be made
                var next = (Turn) lane.takeSlot();
                if (next != null) {
                    edges.publishEdge(answer);
                    try {
                        next.runOnTop(waiting, answer);
                    } finally {
                        edges.clearEdge();
                    }
                }
            }
        }

        /**
         * Returns whether this turn may run on top. The turn has to owe the answer. A future that was derived from
         * an answer, by {@code thenCompose} for example, may be incomplete after the asked actor has answered. The
         * next messages of that actor may wait for the actor below, so they must not run on its stack. While a
         * turn is in the slot, no other turn of its actor runs. So an answer that is not over is owed by this turn, unless
         * the reply was deferred: then this turn is for other messages.
         *
         * <p>A receiving actor may have answered and still wait for messages which the actor below it could not
         * send. An actor that abandons stuck handlers does not run on the stack of another. What a listener causes
         * itself is not reported to listeners; that must not extend to the actors it asks, so nothing runs on top
         * of a listener.
         */
        private static boolean fits(@Nullable Turn next, Answer<?> answer) {
            // mutant: lane-runs-any-actor-on-top
            return next != null && next.cell == answer.target() && next.cell.spec.mayRunOnTop
                    && answer.dependsOnTarget() && !Events.isListening();
        }
    }

    /** A future that is derived from an answer, for example by {@code thenApply}. A wait for it is a wait for the actor. */
    static final class DerivedAnswer<T extends @Nullable Object> extends Answer<T> {
        private final Answer<?> source;

        DerivedAnswer(Answer<?> source) {
            super(source.target());
            this.source = source;
        }

        /** Reads the target each time, since the ask may be passed on to a worker. */
        @Override
        public Cell target() {
            return source.target();
        }

        /** Once the actor has answered, this future waits for something other than the actor. */
        @Override
        public boolean isOver() {
            return isDone() || source.isOver();
        }

        @Override
        public boolean dependsOnTarget() {
            return !isOver() && source.dependsOnTarget();
        }

        @Override
        public void requireWaitable() {
            if (!isOver()) {
                source.requireWaitable();
            }
        }

        @Override
        public boolean isDirect() {
            return false;
        }

        @Override
        public boolean mayRunOnTop() {
            return source.mayRunOnTop();
        }

        @Override
        public String details() {
            return source.isDone()
                    ? "it has answered, but what was derived from the answer is not complete"
                    : source.details();
        }

        @Override
        public Answer<?> origin() {
            return source.origin();
        }

        @Override
        public void failAsk(AskCycleException cycle) {
            source.failAsk(cycle);
        }

        @Override
        public void cancelled() {
            // The ask itself goes on, as it does for the stages of any CompletableFuture.
        }
    }
}
