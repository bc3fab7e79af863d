package io.fibry.internal.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.AskTimeoutException;
import io.fibry.internal.memory.Interleave;
import io.fibry.testing.Aside;
import io.fibry.testing.BugClass;
import io.fibry.testing.Scopes;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Foreign code must not run on the timer thread, whatever races: it would hold up the timers of all. */
@BugClass({13, 17})
class ExpiryCallbackTest {
    private final CountDownLatch never = new CountDownLatch(1);
    private final CountDownLatch wait = new CountDownLatch(1);

    @AfterEach
    void letAllPass() {
        never.countDown();
        wait.countDown();
        Interleave.hook(() -> {
        });
    }

    @Test
    void aCallbackDoesNotRunOnTheTimerThread() throws Exception {
        var time = new ManualTime(Instant.EPOCH, Duration.ZERO); // waits for nobody: the test holds a handler
        var scope = Scopes.configure().time(time).open();
        try {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> {
                never.await();
                return n;
            });
            var ranOn = new CompletableFuture<Thread>();
            actor.ask(1, Duration.ofSeconds(1))
                    .whenComplete((value, failure) -> ranOn.complete(Thread.currentThread()));
            time.advance(Duration.ofSeconds(2));

            assertThat(Waits.on(ranOn)).isNotSameAs(Thread.currentThread());
        } finally {
            never.countDown();
            scope.close();
        }
    }

    @Test
    void aCallbackIsNotTakenForAThreadThatIsJustAboutToWait() throws Exception {
        var time = new ManualTime(Instant.EPOCH, Duration.ZERO); // waits for nobody: the test holds a handler
        var aboutToWait = new CountDownLatch(1);
        var scope = Scopes.configure().time(time).open();
        try {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> {
                never.await();
                return n;
            });
            var answer = actor.ask(1, Duration.ofSeconds(1));
            var ranOn = new CompletableFuture<Thread>();
            answer.whenComplete((value, failure) -> ranOn.complete(Thread.currentThread()));
            var waiter = scope.anonymous().newActorWithReturn((String go) -> {
                var self = Thread.currentThread();
                Interleave.hook(() -> {
                    if (Thread.currentThread() == self && wait.getCount() > 0) {
                        aboutToWait.countDown();
                        awaitQuietly(wait);
                    }
                });
                return answer.get();
            });
            var outcome = Aside.run(() -> waiter.sendMessageReturn("go").get());
            Waits.on(aboutToWait);
            time.advance(Duration.ofSeconds(2));

            assertThat(Waits.on(ranOn)).isNotSameAs(Thread.currentThread());
            wait.countDown();
            assertThat(Waits.failure(outcome)).hasRootCauseInstanceOf(AskTimeoutException.class);
        } finally {
            letAllPass();
            scope.close();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            Waits.on(latch);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
