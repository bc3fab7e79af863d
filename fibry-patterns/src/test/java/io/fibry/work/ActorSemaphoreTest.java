package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Permits that an actor gives out. */
class ActorSemaphoreTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private static ActorSemaphore open(ActorScope scope, SemaphoreOptions options) {
        return ActorSemaphore.open(scope, "printers", options);
    }

    private static void waiting(ActorSemaphore semaphore, int count) {
        Waits.until(count + " wait", () -> semaphore.waiting() == count);
    }

    private static void free(ActorSemaphore semaphore, int count) {
        Waits.until(count + " are free", () -> semaphore.available() == count);
    }

    private static void await(CountDownLatch latch) {
        try {
            Waits.on(latch);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs code on a thread of its own. */
    private static <T> CompletableFuture<T> aside(Callable<T> code) {
        var result = new CompletableFuture<T>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(code.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    @Promise("46.19")
    @EveryStrategy
    void noMoreHoldPermitsThanThereAre(Strategy strategy) throws Exception {
        var inside = new AtomicInteger();
        var most = new AtomicInteger();
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.of(3));
            var done = new CountDownLatch(4 * 50);
            for (int i = 0; i < 4; i++) {
                var actor = scope.anonymous().newActor((Integer permits) -> {
                    try (var held = semaphore.acquire(permits)) {
                        most.accumulateAndGet(inside.addAndGet(held.count()), Math::max);
                        Thread.yield();
                        inside.addAndGet(-permits);
                    }
                    done.countDown();
                });
                for (int n = 0; n < 50; n++) {
                    actor.sendMessage(1 + n % 3);
                }
            }
            Waits.on(done);
            assertThat(most.get()).isBetween(1, 3);
            free(semaphore, 3);
            assertThat(semaphore).hasToString("ActorSemaphore[printers, available: 3 of 3, waiting: 0]");
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Promise("46.19")
    @EveryStrategy
    void theyAreGivenOutInOrder(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.of(2));
            var first = semaphore.acquire();
            var two = semaphore.request(2);
            var one = semaphore.request(1);
            waiting(semaphore, 2);
            assertThat(semaphore.tryAcquire()).as("there is one, and others wait").isEmpty();
            assertThat(two).isNotDone();
            assertThat(one).isNotDone();
            first.release();
            var both = Waits.on(two);
            assertThat(both.count()).isEqualTo(2);
            assertThat(one).isNotDone();
            both.close();
            assertThat(Waits.on(one).isHeld()).isTrue();
            assertThat(semaphore.tryAcquire(2)).isEmpty();
            assertThat(semaphore.tryAcquire()).isPresent();
        }
    }

    @Promise("46.19")
    @EveryStrategy
    void noMoreWaitThanMayAndNoMoreAreAskedForThanThereAre(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.lock().withWaiting(1));
            var held = semaphore.acquire();
            var waiting = semaphore.request(1);
            assertThat(Waits.failure(semaphore.request(1))).isInstanceOf(TooManyWaitingException.class)
                    .hasMessageContaining(
                            "'printers' has 0 of 1 permit free, and as many requests wait as may, 1");
            held.release();
            Waits.on(waiting);
            assertThatThrownBy(() -> semaphore.acquire(2))
                    .hasMessage("permits must be from 1 to 1, which is all that 'printers' has: 2");
            assertThatThrownBy(() -> semaphore.request(0)).isInstanceOf(IllegalArgumentException.class);
            assertThat(recorder.of(Failed.class)).isEmpty();
        }
    }

    @Promise({"46.19", "46.20"})
    @EveryStrategy
    void aRequestThatIsCancelledGivesItsPlaceInTheQueueBack(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.lock().withWaiting(2));
            var held = semaphore.acquire();
            var first = semaphore.request(1);
            var second = semaphore.request(1);
            waiting(semaphore, 2);
            second.cancel(false);
            waiting(semaphore, 1);
            var third = semaphore.request(1);
            waiting(semaphore, 2);
            held.release();
            Waits.on(first).release();
            Waits.on(third).release();
            free(semaphore, 1);
        }
    }

    @Promise("46.20")
    @EveryStrategy
    void aWaitEndsByItsTimeAndTheNextOneIsServed(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.of(2));
            var held = semaphore.acquire();
            var late = aside(() -> semaphore.tryAcquire(2, SECOND));
            waiting(semaphore, 1);
            var next = semaphore.request(1);
            Waits.until("the limit is set", () -> time.pending() == 1);
            time.advance(SECOND);
            assertThat(Waits.on(late)).isEmpty();
            assertThat(Waits.on(next).isHeld()).isTrue();
            held.release();
            free(semaphore, 1);
        }
    }

    @Promise("46.20")
    @EveryStrategy
    void anInterruptOrACancellationEndsAWait(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.of(3));
            var held = semaphore.acquire();
            var interrupted = new CountDownLatch(1);
            var thread = Thread.ofPlatform().daemon().start(() -> {
                try {
                    semaphore.acquire(3);
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
            });
            waiting(semaphore, 1);
            var cancelled = semaphore.request(3);
            var next = semaphore.request(2);
            waiting(semaphore, 3);
            thread.interrupt();
            Waits.on(interrupted);
            waiting(semaphore, 2);
            cancelled.cancel(false);
            assertThat(Waits.on(next).count()).isEqualTo(2);
            held.close();
            free(semaphore, 1);
        }
    }

    @Promise("46.20")
    @EveryStrategy
    void theTimeOfTheHandlerEndsAWait(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.lock());
            var held = semaphore.acquire();
            var actor = scope.anonymous().newActorWithReturn((String message) -> semaphore.acquire().count());
            var answer = aside(() -> actor.apply("wait", SECOND));
            waiting(semaphore, 1);
            time.advance(SECOND);
            assertThat(Waits.failure(answer)).isInstanceOf(AskTimeoutException.class);
            waiting(semaphore, 0);
            held.release();
            free(semaphore, 1);
        }
    }

    @Promise("46.21")
    @EveryStrategy
    void permitsAreGivenBackOnce(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.of(2));
            var held = semaphore.acquire(2);
            held.release();
            assertThat(held.isHeld()).isFalse();
            assertThatThrownBy(held::release).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("2 permits of 'printers'")
                    .hasMessageContaining("not held any more");
            held.close();
            assertThat(held.renew()).isFalse();
            assertThat(semaphore.tryAcquire(2)).isPresent();
            assertThat(semaphore.available()).isZero();
        }
    }

    @Promise("46.21")
    @EveryStrategy
    void theEndOfAnActorGivesItsPermitsBack(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.lock());
            var actor = scope.anonymous().newActor((String message) -> {
            });
            var held = semaphore.acquire().boundTo(actor);
            var next = semaphore.request(1);
            waiting(semaphore, 1);
            actor.stop(SECOND);
            assertThat(Waits.on(next).isHeld()).isTrue();
            assertThat(held.isHeld()).isFalse();
        }
    }

    @Promise("46.21")
    @EveryStrategy
    void aLeaseEndsAndThatIsReported(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.lock().withLease(SECOND));
            semaphore.acquire().release();
            free(semaphore, 1);
            assertThat(time.pending()).isZero();
            var held = semaphore.acquire();
            time.advance(SECOND.dividedBy(2));
            assertThat(held.renew()).isTrue();
            semaphore.tryAcquire(); // the actor has handled the renewal
            time.advance(SECOND.minusNanos(1));
            var next = semaphore.request(1);
            waiting(semaphore, 1);
            assertThat(held.isHeld()).isTrue();
            time.advance(Duration.ofNanos(1));
            assertThat(Waits.on(next).isHeld()).isTrue();
            var failed = recorder.await(Failed.class);
            assertThat(failed.actor()).isEqualTo("printers");
            assertThat(failed.cause()).hasMessageContainingAll("the lease of 1 permit of 'printers'",
                    "acquired by thread '" + Thread.currentThread().getName() + "'", "after PT1S");
            assertThatThrownBy(held::release).isInstanceOf(IllegalStateException.class);
            held.close();
            assertThat(semaphore.available()).isZero();
        }
    }

    @Promise("46.22")
    @EveryStrategy
    void actorsThatWouldWaitForEachOtherAreFound(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var a = ActorSemaphore.open(scope, "a", SemaphoreOptions.lock());
            var b = ActorSemaphore.open(scope, "b", SemaphoreOptions.of(2));
            var both = new CyclicBarrier(2);
            var one = scope.named("one").newActorWithReturn((String message) -> {
                try (var first = a.acquire()) {
                    both.await();
                    try (var second = b.acquire(2)) {
                        return first.count() + second.count();
                    }
                }
            });
            var other = scope.named("other").newActorWithReturn((String message) -> {
                try (var first = b.acquire()) {
                    both.await();
                    try (var second = a.acquire()) {
                        return first.count() + second.count();
                    }
                }
            });
            var results = List.of(aside(() -> one.apply("go")), aside(() -> other.apply("go")));
            int found = 0;
            for (var result : results) {
                var failure = Waits.on(result.handle((value, cause) -> cause));
                if (failure != null) {
                    found++;
                    assertThat(failure).hasCauseInstanceOf(AskCycleException.class).hasMessageContainingAll(
                            "wait for each other for ever", "actor 'one' waits for 2 of 'b'",
                            "actor 'other' waits for 1 of 'a'");
                }
            }
            assertThat(found).isOne();
            free(a, 1);
            free(b, 2);
        }
    }

    /** Starts a thread that waits for permits; returns when it waits as the last one of so many. */
    private static CompletableFuture<HeldPermits> waits(ActorSemaphore semaphore, int permits, int place)
            throws Exception {
        var thread = new CompletableFuture<Thread>();
        var result = aside(() -> {
            thread.complete(Thread.currentThread());
            return semaphore.acquire(permits);
        });
        waiting(semaphore, place);
        Waits.parked(Waits.on(thread));
        return result;
    }

    @Promise("46.22")
    @EveryStrategy
    void aThreadThatWaitsBehindOneThatWaitsForItIsFound(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.of(3));
            var held = semaphore.acquire();
            var large = waits(semaphore, 3, 1);
            var small = waits(semaphore, 1, 2);
            assertThatThrownBy(semaphore::acquire).isInstanceOf(AskCycleException.class)
                    .hasMessageContainingAll(
                            "'" + Thread.currentThread().getName() + "' waits for 1 of 'printers'",
                            "waits for 3 of 'printers'");
            waiting(semaphore, 2);
            assertThat(large).isNotDone();
            assertThat(small).isNotDone();
            held.release();
            Waits.on(large).release();
            Waits.on(small).release();
            free(semaphore, 3);
        }
    }

    @Promise("46.22")
    @EveryStrategy
    void aCycleThroughTheQueuesOfTwoSemaphoresIsFound(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var a = ActorSemaphore.open(scope, "a", SemaphoreOptions.of(2));
            var b = ActorSemaphore.open(scope, "b", SemaphoreOptions.lock());
            var mine = a.acquire();
            var large = waits(a, 2, 1);
            var holdsB = new CompletableFuture<Thread>();
            var behind = aside(() -> {
                var lock = b.acquire();
                try (lock) {
                    holdsB.complete(Thread.currentThread());
                    return a.acquire();
                }
            });
            waiting(a, 2);
            Waits.parked(Waits.on(holdsB));
            assertThatThrownBy(b::acquire).isInstanceOf(AskCycleException.class)
                    .hasMessageContainingAll("waits for 1 of 'b'", "waits for 1 of 'a'",
                            "waits for 2 of 'a'");
            mine.release();
            Waits.on(large).release();
            Waits.on(behind).release();
            free(a, 2);
            free(b, 1);
        }
    }

    @Promise("46.22")
    @EveryStrategy
    void whatIsBeforeItInTheQueueAndCanEndRefusesNoThread(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.of(2));
            var held = semaphore.acquire();
            var limited = aside(() -> semaphore.tryAcquire(2, SECOND));
            waiting(semaphore, 1);
            var request = semaphore.request(2);
            waiting(semaphore, 2);
            var me = Thread.currentThread();
            var rest = aside(() -> {
                waiting(semaphore, 3);
                Waits.parked(me);
                time.advance(SECOND);
                return request.cancel(false);
            });
            semaphore.acquire().release(); // refused by none of the two
            assertThat(Waits.on(rest)).isTrue();
            assertThat(Waits.on(limited)).isEmpty();
            held.release();
            free(semaphore, 2);
        }
    }

    @Promise("46.22")
    @EveryStrategy
    void aThreadThatWaitsForItselfIsFoundUnlessOthersCanRelease(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var semaphore = open(scope, SemaphoreOptions.of(2));
            var held = semaphore.acquire();
            assertThatThrownBy(() -> semaphore.acquire(2)).isInstanceOf(AskCycleException.class)
                    .hasMessageContaining("2 of 'printers'");
            waiting(semaphore, 0);
            var others = Waits.on(aside(semaphore::acquire));
            var waiting = new CompletableFuture<Thread>();
            var second = aside(() -> {
                waiting.complete(Thread.currentThread());
                return semaphore.acquire();
            });
            waiting(semaphore, 1);
            Waits.parked(waiting.get());
            others.release();
            Waits.on(second).release();

            var actor = scope.anonymous().newActor((String message) -> held.release());
            held.boundTo(actor);
            var mine = new CompletableFuture<Thread>();
            var releasing = aside(() -> {
                Waits.parked(Waits.on(mine));
                return actor.sendMessage("release");
            });
            mine.complete(Thread.currentThread());
            semaphore.acquire(2).release();
            Waits.on(releasing);
        }
    }

    @Promise("46.22")
    @EveryStrategy
    void aThreadThatWaitsWithALimitIsNoPartOfACircle(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var a = ActorSemaphore.open(scope, "a", SemaphoreOptions.lock());
            var b = ActorSemaphore.open(scope, "b", SemaphoreOptions.lock());
            var held = new CountDownLatch(1);
            var withLimit = new CompletableFuture<Thread>();
            var endless = aside(() -> {
                try (var first = a.acquire()) {
                    held.countDown();
                    waiting(a, 1);
                    Waits.parked(Waits.on(withLimit)); // else its search comes last, and finds that it waits for this thread
                    try (var second = b.acquire()) {
                        return first.count() + second.count();
                    }
                }
            });
            var limited = aside(() -> {
                await(held);
                withLimit.complete(Thread.currentThread());
                try (var first = b.acquire()) {
                    return first.count() + a.tryAcquire(1, SECOND).map(HeldPermits::count).orElse(0);
                }
            });
            Waits.until("both wait, or one was refused",
                    () -> endless.isDone() || limited.isDone() || (a.waiting() == 1 && b.waiting() == 1));
            time.advance(SECOND);
            assertThat(Waits.on(limited)).isEqualTo(1);
            assertThat(Waits.on(endless)).isEqualTo(2);
            free(a, 1);
            free(b, 1);
        }
    }

    @Promise("46.22")
    @Test
    void aThreadWhoseTimeIsOverDoesNotHoldWhatTheActorIsAboutToGive() throws Exception {
        try (var scope = scope(Strategy.FIBERS)) {
            var semaphore = open(scope, SemaphoreOptions.lock());
            var held = semaphore.acquire();
            var waiting = new CompletableFuture<Thread>();
            var late = new CountDownLatch(1);
            var again = aside(() -> {
                waiting.complete(Thread.currentThread());
                assertThat(semaphore.tryAcquire(1, SECOND)).isEmpty();
                late.countDown();
                return semaphore.acquire();
            });
            waiting(semaphore, 1);
            var isFirst = new AtomicBoolean(true);
            SwitchPoints.hook(() -> {
                if (ActorSystem.currentActor().isPresent() && isFirst.getAndSet(false)) {
                    time.advance(SECOND);
                    await(late);
                    Waits.until("it waits again or was refused", () -> again.isDone()
                            || waiting.join().getState() == Thread.State.WAITING);
                }
            });
            try {
                held.release(); // now the actor gives the permit to a thread that goes on without it
                Waits.on(again).release();
            } finally {
                SwitchPoints.hook(() -> {
                });
            }
            assertThat(isFirst).as("the time was over in between").isFalse();
            free(semaphore, 1);
        }
    }

    @Promise("46.23")
    @EveryStrategy
    void theEndFailsThoseWhoWait(Strategy strategy) throws Exception {
        var results = new ArrayList<CompletableFuture<HeldPermits>>();
        ActorSemaphore semaphore;
        HeldPermits held;
        try (var scope = scope(strategy)) {
            semaphore = open(scope, SemaphoreOptions.lock());
            held = semaphore.acquire();
            var ending = semaphore;
            results.add(aside(() -> ending.acquire()));
            waiting(semaphore, 1);
            results.add(semaphore.request(1));
            waiting(semaphore, 2);
            semaphore.stop(SECOND);
            for (var result : results) {
                assertThat(Waits.failure(result)).isInstanceOf(ActorStoppedException.class);
            }
            assertThat(Waits.failure(results.getFirst()))
                    .hasMessageContaining("semaphore 'printers' has stopped");
            assertThatThrownBy(semaphore::acquire).isInstanceOf(ActorStoppedException.class)
                    .hasMessageContaining("semaphore 'printers' has stopped");
            assertThatThrownBy(semaphore::tryAcquire).isInstanceOf(ActorStoppedException.class)
                    .hasMessageContaining("semaphore 'printers' has stopped");
            held.release();
            Waits.on(semaphore.onStopped());
        }
    }

    @Test
    void wrongNumbersAreRefused() {
        assertThatThrownBy(() -> SemaphoreOptions.of(0)).hasMessage("permits must be at least 1: 0");
        assertThatThrownBy(() -> SemaphoreOptions.of(1).withWaiting(-1))
                .hasMessage("waiting must not be negative: -1");
        assertThatThrownBy(() -> SemaphoreOptions.lock().withLease(Duration.ZERO))
                .hasMessage("lease must be more than zero: PT0S");
        assertThat(SemaphoreOptions.lock().withLease(SECOND))
                .hasToString("SemaphoreOptions[permits=1, waiting=10000, lease=PT1S]");
    }
}
