package io.fibry.promises;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits that fail instead of lasting for ever. */
public final class Waits {
    private static final long PATIENCE_SECONDS = 30;

    private Waits() {
    }

    public static void on(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("what the latch stands for").isTrue();
    }

    public static <T> T on(CompletableFuture<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    public static void on(Thread thread) throws InterruptedException {
        assertThat(thread.join(java.time.Duration.ofSeconds(PATIENCE_SECONDS))).as("the end of " + thread)
                .isTrue();
    }

    /** What a future failed with; fails if it did not fail. */
    public static Throwable failure(CompletableFuture<?> future)
            throws InterruptedException, TimeoutException {
        // Not by get: on JDK 21 its exception asks the cause for its text, which may throw.
        try {
            on(future.handle((value, failure) -> true));
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
        assertThat(future.state()).as("state of the future").isNotEqualTo(Future.State.SUCCESS);
        return future.exceptionNow();
    }
}
