package io.fibry.robust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fibry.Actor;
import io.fibry.testing.Patience;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;

/** Waits for what is to happen soon; that it does not is a failure. */
public final class Soon {
    public static final Duration LIMIT = Patience.LIMIT;

    private Soon() {
    }

    public static void reached(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).as("reached in time").isTrue();
    }

    public static <T> T get(Future<T> future) throws Exception {
        return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    public static Throwable failure(Future<?> future) {
        var thrown = catchThrowable(() -> get(future));
        assertThat(thrown).isInstanceOf(ExecutionException.class);
        return thrown.getCause();
    }

    public static void stopped(Actor<?, ?> actor) {
        assertThat(actor.waitForExit(LIMIT)).as("%s has stopped", actor).isTrue();
    }

    public static void ended(Thread thread) throws InterruptedException {
        assertThat(thread.join(LIMIT)).as("%s has ended", thread).isTrue();
    }

    /** For a state that nothing tells about. */
    public static void until(String what, BooleanSupplier state) {
        Awaitility.await(what).atMost(LIMIT).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2))
                .until(state::getAsBoolean);
    }

    /** Until the thread waits without a time limit: where our own waits end up. */
    public static void parked(Thread thread) {
        until(thread + " waits", () -> thread.getState() == Thread.State.WAITING);
    }
}
