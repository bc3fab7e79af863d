package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.internal.engine.EngineProbe;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;

/** Waits that fail instead of lasting for ever. */
public final class Waits {
    private Waits() {
    }

    public static void on(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(Patience.MILLIS, TimeUnit.MILLISECONDS)).as("what the latch stands for")
                .isTrue();
    }

    public static <T> T on(Future<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(Patience.MILLIS, TimeUnit.MILLISECONDS);
    }

    public static void on(Thread thread) throws InterruptedException {
        assertThat(thread.join(Patience.LIMIT)).as("the end of " + thread)
                .isTrue();
    }

    /** Waits in a handler, after it has told that it begins, until it is interrupted; tells of that, too. */
    public static void untilInterrupted(CountDownLatch begun, CountDownLatch interrupted)
            throws InterruptedException {
        begun.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            interrupted.countDown();
            throw e;
        }
    }

    /** For a state that nothing tells about. If it does not come, the failure says what all threads do. */
    public static void until(String what, BooleanSupplier state) {
        try {
            Awaitility.await(what).atMost(Patience.LIMIT).pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(2)).until(state::getAsBoolean);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(e.getMessage() + "\n" + ThreadsDump.ofOurs(), e);
        }
    }

    /** Until an actor has stopped. */
    public static void stopped(Actor<?, ?> actor) {
        assertThat(actor.waitForExit(Patience.LIMIT)).as("%s has stopped", actor)
                .isTrue();
    }

    /**
     * Until a scope knows no name, actor or scope any more. An actor that ends releases those who wait for its end, tells
     * its watchers, and only then leaves the lists: a stop may return in between.
     */
    public static void left(ActorScope scope) {
        until("all have left the lists of " + scope, () -> EngineProbe.footprint(scope) == 0);
    }

    /** Until the thread waits without a time limit, as the library's own waits do. */
    public static void parked(Thread thread) {
        until(thread + " waits", () -> thread.getState() == Thread.State.WAITING);
    }

    /** For a condition that nobody signals: looks often. */
    public static ConditionFactory soon() {
        return Awaitility.await().atMost(Patience.LIMIT).pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1));
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
