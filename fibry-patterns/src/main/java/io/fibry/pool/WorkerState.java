package io.fibry.pool;

import io.fibry.function.Handler;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * How the state of a worker is made and closed. Both happen inside the worker: the state is made before its first
 * message, and again after a restart. It is closed, once, when the worker is restarted and when it stops; another worker has
 * its place after that.
 *
 * @param <S> type of the states
 * @param maker makes the state of one worker. If it throws, the message that was to be handled fails with that exception
 * @param closer closes a state. What it throws is reported as a failure
 */
public record WorkerState<S>(Supplier<? extends S> maker, Handler<? super S> closer) {
    /**
     * Checks that neither is null.
     *
     * @param maker not null
     * @param closer not null
     */
    public WorkerState {
        Objects.requireNonNull(maker, "maker");
        Objects.requireNonNull(closer, "closer");
    }

    /**
     * Returns how states are made; a state that is {@link AutoCloseable} is closed.
     *
     * @param <S> type of the states
     * @param maker makes the state of one worker
     * @return how states are made
     */
    public static <S> WorkerState<S> of(Supplier<? extends S> maker) {
        return new WorkerState<>(maker, state -> {
            if (state instanceof AutoCloseable closeable) {
                closeable.close();
            }
        });
    }

    /**
     * Returns how the same states are made, and are closed in another way.
     *
     * @param closing closes a state
     * @return how states are made and closed
     */
    public WorkerState<S> closedBy(Handler<? super S> closing) {
        return new WorkerState<>(maker, closing);
    }
}
