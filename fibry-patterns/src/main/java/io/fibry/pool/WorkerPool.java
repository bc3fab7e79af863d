package io.fibry.pool;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.Recipient;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Workers behind one handle. A message goes to a worker that has nothing to do, and waits in one mailbox for all of them
 * if there is none: no message waits behind a slow one while a worker has nothing to do. Each worker is an actor that
 * handles one message at a time, and may have a state of its own.
 *
 * <pre>{@code
 * try (var pool = WorkerPool.openWithReturn(scope, "thumbnails", PoolOptions.<Path>fixed(4, 1_000),
 *         path -> shrink(path))) {
 *     CompletableFuture<Image> image = pool.sendMessageReturn(Path.of("a.jpg"));
 *     …
 * } // what was queued has been handled
 * }</pre>
 *
 * <p>The state of a worker is made inside the worker, before its first message, and closed when the worker stops:
 *
 * <pre>{@code
 * var rows = WorkerPool.openWithReturn(scope, "rows", PoolOptions.<Query>scaling(1, 8, Duration.ofSeconds(30), 500),
 *         WorkerState.of(Database::connect).closedBy(Connection::close),
 *         (connection, query) -> connection.run(query));
 * }</pre>
 *
 * <p>What holds for a message to an actor holds for a message to a pool: one fate, answers that always complete, time
 * limits, tracked sends, typed requests, context, the policies of bounded mailboxes. The failure policy of the workers
 * ({@link PoolOptions#withActors}) decides what follows a failure: a worker goes on, or gets a new state, or stops and is
 * replaced. Messages that wait are not affected by any of that.
 *
 * <p>The actors of a pool are in a scope of their own inside the given scope, with the name of the pool. The pool ends
 * with that scope. Pools are thread-safe.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} if there are none
 */
public interface WorkerPool<M, R extends @Nullable Object> extends Recipient<M, R>, AutoCloseable {
    /**
     * Opens a pool that gives no answers.
     *
     * @param <M> type of the messages
     * @param scope the scope around the scope of the pool
     * @param name the name of the pool
     * @param options how many workers there are, and what may wait for them
     * @param handler handles a message
     * @return the pool
     */
    static <M> WorkerPool<M, Void> open(ActorScope scope, String name, PoolOptions<M> options,
            Handler<M> handler) {
        Objects.requireNonNull(handler, "handler");
        return new Workers<>(scope, name, options, (builder, worker) -> builder.newActor(handler));
    }

    /**
     * Opens a pool that answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param scope the scope around the scope of the pool
     * @param name the name of the pool
     * @param options how many workers there are, and what may wait for them
     * @param handler handles a message and returns the answer
     * @return the pool
     */
    static <M, R extends @Nullable Object> WorkerPool<M, R> openWithReturn(ActorScope scope, String name,
            PoolOptions<M> options, ReplyHandler<M, R> handler) {
        Objects.requireNonNull(handler, "handler");
        return new Workers<>(scope, name, options, (builder, worker) -> builder.newActorWithReturn(handler));
    }

    /**
     * Opens a pool whose workers have a state of their own.
     *
     * @param <S> type of the states
     * @param <M> type of the messages
     * @param scope the scope around the scope of the pool
     * @param name the name of the pool
     * @param options how many workers there are, and what may wait for them
     * @param state makes and closes the state of a worker
     * @param handler handles a message
     * @return the pool
     */
    static <S, M> WorkerPool<M, Void> open(ActorScope scope, String name, PoolOptions<M> options,
            WorkerState<S> state, StateHandler<S, M> handler) {
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(handler, "handler");
        return new Workers<>(scope, name, options,
                (builder, worker) -> builder.state(() -> worker.open(state))
                        .newActor((open, message) -> {
                            try {
                                handler.handle(open.begin(), message);
                            } finally {
                                open.end();
                            }
                        }));
    }

    /**
     * Opens a pool whose workers have a state of their own and answer.
     *
     * @param <S> type of the states
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param scope the scope around the scope of the pool
     * @param name the name of the pool
     * @param options how many workers there are, and what may wait for them
     * @param state makes and closes the state of a worker
     * @param handler handles a message and returns the answer
     * @return the pool
     */
    static <S, M, R extends @Nullable Object> WorkerPool<M, R> openWithReturn(ActorScope scope, String name,
            PoolOptions<M> options, WorkerState<S> state, StateReplyHandler<S, M, R> handler) {
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(handler, "handler");
        return new Workers<>(scope, name, options,
                (builder, worker) -> builder.state(() -> worker.open(state))
                        .newActorWithReturn((open, message) -> {
                            try {
                                return handler.handle(open.begin(), message);
                            } finally {
                                open.end();
                            }
                        }));
    }

    /**
     * Returns how many workers there are.
     *
     * @return the number
     */
    int size();

    /**
     * Returns how many workers have something to do. The number is exact while nothing moves.
     *
     * @return the number
     */
    int busy();

    /**
     * Returns how many messages wait for a worker. The number is exact while nothing moves.
     *
     * @return the number
     */
    int waiting();

    /**
     * Returns what became of the messages that were offered to this pool. Workers that have stopped are included.
     *
     * @return the counts
     */
    Counters counters();

    /**
     * Stops the pool, as {@link ActorScope#stop} stops a scope: messages from outside are refused, what waits is handled
     * until the deadline, and the workers stop.
     *
     * @param deadline how long the workers may take for the messages that wait; not negative
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /**
     * Tells whether the stop of this pool, or of a scope around it, has begun. A moment later, messages from outside
     * are refused.
     *
     * @return true from the beginning of the stop on
     */
    boolean isStopping();

    /**
     * Returns a future of the end of this pool, which completes with the report of the stop. If the scope around the pool
     * is stopped, the report has the counts, and not how the stop went. Each call returns another future.
     *
     * @return the future
     */
    CompletableFuture<StopReport> onStopped();

    /** Stops the pool, with the close time-out of the scope as the deadline. */
    @Override
    void close();
}
