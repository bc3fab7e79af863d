package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.run.Lane;
import io.fibry.internal.run.Lanes;
import io.fibry.internal.run.Parking;
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
 * What an ask returns. To its users it is a plain {@link CompletableFuture}; it also knows whom it waits
 * for, which makes circles visible and time-outs talk.
 */
public class Answer<T extends @Nullable Object> extends Outcome<T> implements Waiting {
    /** How often a virtual thread gives way before it parks. */
    private static final int YIELDS = 2;
    private static final VarHandle PLACE =
            FieldAccess.of(MethodHandles.lookup(), "place", Object.class);

    /**
     * The actor, or the node that is sent to it, which knows the actor. Changes once more at most, when the actor
     * that was asked hands the message to a worker.
     */
    private Object place;

    Answer(Cell target) {
        place = target;
    }

    /** The handler is about to run; false if nobody wants it any more. Called on the actor's turn. */
    boolean starts() {
        return target().beginAnswer(this);
    }

    /** The handler has ended. Called on the actor's turn. */
    void end() {
        target().endAnswer(this);
    }

    /** Where it is taken back if nobody waits for it any more. By the sender, or a master. */
    final void attachTo(Asked node) {
        PLACE.setRelease(this, node);
    }

    /** Notes that another node carries the message now. Any thread may give this up meanwhile. By the turn. */
    final void moveTo(Asked node) {
        PLACE.setVolatile(this, node);
    }

    /** Nobody waits for it any more: what is queued for it is let go. */
    final void takeBack() {
        if (PLACE.getVolatile(this) instanceof Asked node) {
            node.takeBack();
        }
    }

    /** It was completed, by whomever; called once or a few times. */
    void settled() {
    }

    public final void forwardTo(Cell worker) {
        PLACE.setVolatile(this, worker);
    }

    @Override
    public Cell target() {
        var at = PLACE.getVolatile(this);
        return at instanceof Asked node ? node.cell() : (Cell) at;
    }

    @Override
    public boolean isOver() {
        return isDone();
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

    /** Completes it for the actor, which has taken the message: nothing is to be taken back. */
    final boolean succeed(T value) {
        if (!decide()) {
            return false;
        }
        try {
            return super.complete(value);
        } finally {
            settled();
        }
    }

    /** The same with a failure. */
    final boolean fail(Throwable failure) {
        return decide() && settle(failure);
    }

    /** The same with what its handler has thrown. */
    final boolean failsWith(Throwable thrown) {
        return fail(Outcome.of(thrown));
    }

    /** Completes what has been decided. */
    final boolean settle(Throwable failure) {
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
            Interleave.here();
            takeBack();
            cancelled();
        }
        return first;
    }

    @Override
    boolean isDirect() {
        return true;
    }

    /** Whether the caller may complete this. Where it is not the future itself that decides who comes first. */
    boolean decide() {
        return true;
    }

    void cancelled() {
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
        return comesOnTop() ? super.get() : getFromElsewhere();
    }

    /** The same by a caller that has looked at its stack, and for an interrupt, in the frame that calls this. */
    final T getWithReserve() throws InterruptedException, ExecutionException {
        return isDone() || comesOnTop() ? super.get() : getFromElsewhere();
    }

    private T getFromElsewhere() throws InterruptedException, ExecutionException {
        startWaiting();
        try {
            var limit = limit();
            if (limit == null) {
                runTarget();
            } else if (!comesWithin(limit)) {
                throw new ExecutionException(limit.isOverBefore(this));
            }
            return await();
        } finally {
            WaitGraph.leave();
        }
    }

    @Override
    public final T join() {
        if (isDone()) {
            return super.join();
        }
        StackReserve.require();
        if (comesOnTop()) {
            return super.join();
        }
        startWaiting();
        try {
            var limit = limit();
            if (limit == null) {
                runTarget();
            } else if (!comesUninterruptedWithin(limit)) {
                throw new CompletionException(limit.isOverBefore(this));
            }
            return awaitUninterrupted();
        } finally {
            WaitGraph.leave();
        }
    }

    @Override
    public final T get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (isDone()) {
            return super.get();
        }
        StackReserve.require();
        startWaiting();
        try {
            var limit = limit();
            return limit != null && limit.nanosLeft() < unit.toNanos(timeout)
                    ? awaitWithin(limit)
                    : awaitFor(timeout, unit);
        } finally {
            WaitGraph.leave();
        }
    }

    private T awaitWithin(TimedAnswer<?> limit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!comesWithin(limit)) {
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
            throw new TimeoutException("actor '" + target().name() + "' gave no answer within "
                    + Durations.text(unit.toNanos(timeout)) + " of waiting: " + whereabouts());
        }
    }

    /** The deadline that ends the wait of the current handler, if this does not come to an end before that. */
    private @Nullable TimedAnswer<?> limit() {
        var current = Deadlines.current();
        return current == null || nanosLeft() <= current.nanosLeft() ? null : current;
    }

    /** How long it may take until this completes. */
    long nanosLeft() {
        return Long.MAX_VALUE;
    }

    private boolean comesUninterruptedWithin(TimedAnswer<?> limit) {
        var interrupted = false;
        try {
            while (true) {
                try {
                    return comesWithin(limit);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean comesWithin(TimedAnswer<?> limit) throws InterruptedException {
        Parking.letGo(); // nothing may be on top when the time is over
        return comesWithin(limit.time(), limit.nanosLeft());
    }

    /** Waits for this to be complete; false if it took too long. Not by a timed park: see docs/concurrency.md. */
    boolean comesWithin(TimeSource time, long nanos) throws InterruptedException {
        var over = new CompletableFuture<@Nullable Void>();
        var timer = time.schedule(nanos, () -> over.complete(null));
        var name = beginWait();
        try {
            CompletableFuture.anyOf(this, over).get();
        } catch (ExecutionException e) {
            return true; // it came, and whoever asks for it will see this
        } finally {
            Parking.endWait(name);
            timer.cancel();
            over.complete(null); // takes what anyOf has added to this away again
        }
        return isDone();
    }

    /**
     * Before it waits, an actor lets the one that it asks run on its own stack, if that is next here. True if this is
     * there then. The stack was looked at.
     */
    private boolean comesOnTop() {
        if (!mayComeOnTop() || !(Current.strand() instanceof Lane lane) || limit() != null) {
            return false;
        }
        AskOnTop.run(lane, this);
        return isDone();
    }

    /** Whether the wait for it has no limit: else nothing may be on top when the time is over. */
    boolean mayComeOnTop() {
        return true;
    }

    /**
     * The last step before it parks. A virtual thread that is no actor's looks for a moment, if that has been good for
     * something lately. One that is no lane then gives way: the lane that it has just started is likely to be next on
     * its carrier, and to have answered when this thread goes on, which is cheaper than to park and to be woken.
     */
    void runTarget() {
        var strand = Current.strand();
        if (strand instanceof Lane lane) {
            lane.letGo();
        } else if (Thread.currentThread().isVirtual()) {
            if (strand == null && !isDone()
                    && target().spec().placement().executor() instanceof Lanes lanes) {
                lanes.awaitForAMoment(this);
            }
            for (int i = 0; i < YIELDS && !isDone(); i++) {
                Thread.yield();
            }
        }
    }

    T await() throws InterruptedException, ExecutionException {
        var name = beginWait();
        try {
            return super.get();
        } finally {
            Parking.endWait(name);
        }
    }

    T await(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        var name = beginWait();
        try {
            return super.get(timeout, unit);
        } finally {
            Parking.endWait(name);
        }
    }

    T awaitUninterrupted() {
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

    private void startWaiting() {
        try {
            WaitGraph.enter(this);
        } catch (AskCycleException e) {
            failAsk(e);
            throw e;
        }
    }

    /** Nobody will wait for it: if it is still queued it is skipped. */
    void failAsk(AskCycleException cycle) {
        completeExceptionally(cycle);
    }

    /** For time-outs: where the message is. */
    String whereabouts() {
        var cell = target();
        var before = nodesBefore();
        return before < 0
                ? "its handler is running" + doing(cell)
                : "it is queued behind " + before + "; the actor is " + cell.state() + doing(cell);
    }

    static String doing(Cell cell) {
        return cell.spec().scope().whereabouts().of(cell);
    }

    /** How many messages were before it in the mailbox when somebody looked last; about that many. */
    final int nodesBefore() {
        return PLACE.getVolatile(this) instanceof Asked node ? node.cell().before(node) : -1;
    }

    /** Futures derived from this one depend on the same actor, so waits on them are seen as well. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Derived<>(this);
    }

    private static final class Derived<T extends @Nullable Object> extends Answer<T> {
        private final Answer<?> source;

        Derived(Answer<?> source) {
            super(source.target());
            this.source = source;
        }

        /** Not a copy: the ask may be handed to a worker. */
        @Override
        public Cell target() {
            return source.target();
        }

        /** Once the actor has answered, what this still waits for is something else. */
        @Override
        public boolean isOver() {
            return isDone() || source.isOver();
        }

        @Override
        boolean isDirect() {
            return false;
        }

        @Override
        boolean mayComeOnTop() {
            return source.mayComeOnTop();
        }

        @Override
        String whereabouts() {
            return source.isDone()
                    ? "it has answered, but what was derived from the answer is not complete"
                    : source.whereabouts();
        }

        @Override
        void failAsk(AskCycleException cycle) {
            source.failAsk(cycle);
        }

        @Override
        void cancelled() {
            // The ask itself goes on, as it does for the stages of any CompletableFuture.
        }
    }
}
