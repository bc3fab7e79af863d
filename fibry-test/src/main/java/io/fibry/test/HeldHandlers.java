package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Holds up handlers: while they are held, the messages of their actors wait. A bounded mailbox becomes full, and a time limit
 * passes.
 *
 * <pre>{@code
 * var hold = new HeldHandlers();
 * var shop = scope.anonymous().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.reject()))
 *         .newActor(hold.around((String item) -> sell(item)));
 * hold.holdFor(Duration.ofSeconds(2), scope);
 * }</pre>
 *
 * <p>A handler waits before its message. An interrupt ends its wait, and so does the forced stop of its actor. Objects of this
 * class are thread-safe.
 */
public final class HeldHandlers {
    private final ReentrantLock lock = new ReentrantLock();
    /** The hold in force. True ends the wait; false sends handlers on to the hold that has followed. Written under the lock. */
    private CompletableFuture<Boolean> released = CompletableFuture.completedFuture(true);

    /** Makes a hold that holds nothing up yet. */
    public HeldHandlers() {
        // nothing is held
    }

    /**
     * Returns a handler that waits before each message while it is held.
     *
     * @param <M> type of the messages
     * @param handler handles the messages
     * @return the handler
     */
    public <M> Handler<M> around(Handler<M> handler) {
        Objects.requireNonNull(handler, "handler");
        return message -> {
            pass();
            handler.handle(message);
        };
    }

    /**
     * Returns a handler that answers, and waits before each message while it is held.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param handler handles the messages
     * @return the handler
     */
    public <M, R extends @Nullable Object> ReplyHandler<M, R> aroundReply(ReplyHandler<M, R> handler) {
        Objects.requireNonNull(handler, "handler");
        return message -> {
            pass();
            return handler.handle(message);
        };
    }

    /** Holds up each handler that comes to its next message, until {@link #release()}. */
    public void hold() {
        hold(new CompletableFuture<>());
    }

    private void hold(CompletableFuture<Boolean> held) {
        lock.lock();
        try {
            var before = released;
            released = held;
            before.complete(false);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Holds up each handler that comes to its next message, for some time or until {@link #release()}. The last call decides
     * how long, also a call of {@link #hold()}.
     *
     * @param time for how long, more than zero
     * @param scope the scope by whose clock the time passes
     */
    public void holdFor(Duration time, ActorScope scope) {
        if (Objects.requireNonNull(time, "time").isNegative() || time.isZero()) {
            throw new IllegalArgumentException("time must be more than zero: " + time);
        }
        Objects.requireNonNull(scope, "scope");
        var held = new CompletableFuture<Boolean>(); // another hold may follow before the timer is set
        hold(held);
        scope.time().schedule(TestWait.nanos(time), () -> held.complete(true));
    }

    /** Lets all handlers go on. */
    public void release() {
        gate().complete(true);
    }

    private CompletableFuture<Boolean> gate() {
        lock.lock();
        try {
            return released;
        } finally {
            lock.unlock();
        }
    }

    private void pass() throws InterruptedException {
        try {
            while (!gate().get()) {
                // another hold has followed
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // it never fails
        }
    }
}
