package io.fibry.pool;

import io.fibry.function.Handler;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The state of a worker. The engine closes it as any state that is closeable: when the worker is restarted, when it stops, and
 * when a handler that was abandoned has ended.
 */
@SuppressWarnings("try") // the engine closes it, and handles an interrupt there
final class OpenState<S> implements AutoCloseable {
    private static final Runnable CLOSED = OpenState::nothing;

    private final S value;
    private final Handler<? super S> closer;
    /** Whether a handler has not ended: at the worker's end one that was abandoned. Written by the handler's thread. */
    private final AtomicBoolean isUsed = new AtomicBoolean();
    /** What is to run when this is closed. The worker sets it in its exit hook; {@code CLOSED} is set by what closes this. */
    private final AtomicReference<@Nullable Runnable> afterwards = new AtomicReference<>();

    OpenState(WorkerState<S> state) {
        value = Objects.requireNonNull(state.maker().get(),
                "the state of a worker is null; return a state that the worker can use");
        closer = state.closer();
    }

    private static void nothing() {
    }

    /** Returns the state for a handler that begins. */
    S begin() {
        isUsed.setRelease(true);
        return value;
    }

    /** Called when the handler has ended. */
    void end() {
        isUsed.setRelease(false);
    }

    /** Returns false if the code has to run now: this is closed, or its handler was abandoned and may never end. */
    boolean runWhenClosed(Runnable code) {
        return !isUsed.getAcquire() && afterwards.compareAndSet(null, code);
    }

    @Override
    public void close() throws Exception {
        try {
            closer.handle(value);
        } finally {
            var code = afterwards.getAndSet(CLOSED);
            if (code != null) {
                code.run();
            }
        }
    }
}
