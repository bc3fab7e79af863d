package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.FailurePolicy.Backoff;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A list of values that is refilled in the background. */
class ReserveTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final AtomicInteger numbers = new AtomicInteger();
    private final List<Integer> refills = new CopyOnWriteArrayList<>();
    private final List<Integer> left = new CopyOnWriteArrayList<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private List<Integer> make(int missing) {
        refills.add(missing);
        return IntStream.range(0, missing).mapToObj(i -> numbers.incrementAndGet()).toList();
    }

    private Reserve<Integer> open(ActorScope scope, ReserveOptions options, Refill<Integer> refill) {
        return Reserve.open(scope, "reserve", options, refill, left::add);
    }

    private static void hasSize(Reserve<?> reserve, int size) {
        Waits.until("there are " + size + " values", () -> reserve.size() == size);
    }

    private void failsFor(Throwable failure, String cause) {
        assertThat(failure).isInstanceOf(RefillFailedException.class)
                .hasMessageContaining("the reserve 'reserve' has no value").hasRootCauseMessage(cause);
    }

    @Promise("46.18")
    @EveryStrategy
    void aReserveThatClosesInTheMiddleOfARefillReportsNoSignalAsLost(Strategy strategy) throws Exception {
        var begun = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        try (var scope = scope(strategy)) {
            var reserve = open(scope, ReserveOptions.of(2, 5), missing -> {
                if (numbers.get() >= 5) {
                    begun.countDown();
                    go.await();
                    return List.of(numbers.incrementAndGet()); // so a further refill would be needed
                }
                return make(missing);
            });
            hasSize(reserve, 5);
            var taking = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 4; i++) {
                    reserve.tryTake();
                }
            });
            Waits.on(begun);
            var closing = Thread.ofPlatform().start(reserve::close);
            Waits.until("the reserve is told to stop",
                    () -> closing.getState() == Thread.State.WAITING
                            || closing.getState() == Thread.State.TERMINATED);
            go.countDown();
            closing.join();
            taking.join();
            Waits.on(reserve.onStopped());
            assertThat(recorder.of(Undelivered.class)).isEmpty();
        } finally {
            go.countDown();
        }
    }

    @Promise("46.15")
    @EveryStrategy
    void valuesAreThereBeforeTheyAreTaken(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var reserve = open(scope, ReserveOptions.of(3, 5), this::make)) {
            hasSize(reserve, 5);
            assertThat(refills).containsExactly(5);
            assertThat(List.of(reserve.take(), reserve.take(SECOND))).containsExactly(1, 2);
            assertThat(reserve.size()).isEqualTo(3);
            assertThat(refills).as("three are enough").hasSize(1);
            assertThat(reserve.tryTake()).hasValue(3);
            hasSize(reserve, 5);
            assertThat(refills).containsExactly(5, 3);
            assertThat(Waits.on(reserve.takeLater())).isEqualTo(4);
            assertThat(reserve).hasToString("Reserve[reserve, values: 4, waiting: 0]");
            assertThat(reserve.counters().failed()).isZero();
        }
    }

    @Promise("46.15")
    @EveryStrategy
    void thereIsOneRefillAtATimeAndEachValueIsTakenOnce(Strategy strategy) throws Exception {
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        var all = ConcurrentHashMap.<Integer>newKeySet();
        try (var scope = scope(strategy);
                var reserve = open(scope, ReserveOptions.of(4, 8), missing -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    Thread.yield();
                    var made = make(Math.min(missing, 3));
                    running.decrementAndGet();
                    return made;
                })) {
            var takers = new ArrayList<Thread>();
            for (int taker = 0; taker < 4; taker++) {
                takers.add(Thread.startVirtualThread(() -> {
                    for (int i = 0; i < 500; i++) {
                        try {
                            all.add(reserve.take());
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                        assertThat(reserve.size()).isLessThanOrEqualTo(8);
                    }
                }));
            }
            for (var taker : takers) {
                Waits.on(taker);
            }
            assertThat(all).hasSize(2_000);
            assertThat(most).hasValue(1);
        }
        var both = new HashSet<>(all);
        both.addAll(left);
        assertThat(both).as("taken or left").hasSize(numbers.get());
    }

    @Promise("46.16")
    @EveryStrategy
    void thoseWhoFindNoValueGetThemInOrder(Strategy strategy) throws Exception {
        var begun = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        try (var scope = scope(strategy)) {
            var opening = new CompletableFuture<Reserve<Integer>>();
            var opener = Thread.startVirtualThread(() -> opening.complete(
                    open(scope, ReserveOptions.of(1, 2), missing -> {
                        begun.countDown();
                        Waits.on(go);
                        return make(missing);
                    })));
            Waits.on(begun);
            if (strategy == Strategy.CALLER) {
                go.countDown(); // the opener runs the refill itself
            }
            var reserve = Waits.on(opening);
            var results = new ArrayList<CompletableFuture<Integer>>();
            for (int i = 0; i < 5; i++) {
                results.add(reserve.takeLater());
            }
            go.countDown();
            for (int i = 0; i < 5; i++) {
                assertThat(Waits.on(results.get(i))).isEqualTo(i + 1);
            }
            Waits.on(opener);
            Waits.until("none waits", () -> reserve.waiting() == 0);
        }
    }

    @Promise("46.16")
    @EveryStrategy
    void aWaitEndsByItsTimeAndTakesNoValue(Strategy strategy) throws Exception {
        try (var scope = scope(strategy);
                var reserve = open(scope, failingAtFirst(1).withBackoff(SECOND), this::failing)) {
            recorder.await(Failed.class);
            var failure = new AtomicReference<Throwable>();
            var taker = Thread.startVirtualThread(() -> {
                try {
                    reserve.take(Duration.ofMillis(300));
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            Waits.until("it waits", () -> reserve.waiting() == 1);
            var patient = reserve.takeLater();
            assertThat(reserve.tryTake()).isEmpty();
            Waits.until("the limit is set", () -> time.pending() >= 2);
            time.advance(Duration.ofMillis(300));
            Waits.on(taker);
            assertThat(failure.get()).isInstanceOf(AskTimeoutException.class);
            time.advance(SECOND);
            assertThat(Waits.on(patient)).isEqualTo(1);
        }
    }

    /** How often the refill fails at first, and the options of a reserve of two. */
    private Failing failingAtFirst(int times) {
        failures.set(times);
        return new Failing();
    }

    private static final class Failing {
        ReserveOptions withBackoff(Duration first) {
            return ReserveOptions.of(1, 2).withBackoff(new Backoff(first, first.multipliedBy(3), 0));
        }
    }

    private final AtomicInteger failures = new AtomicInteger();

    private List<Integer> failing(int missing) {
        if (failures.getAndDecrement() > 0) {
            refills.add(-1);
            throw new IllegalStateException("as wanted");
        }
        return make(missing);
    }

    @Promise("46.17")
    @EveryStrategy
    void aFailureIsReportedAndTheNextTakeTriesAgain(Strategy strategy) throws Exception {
        failingAtFirst(2);
        try (var scope = scope(strategy); var reserve = open(scope, ReserveOptions.of(1, 2), this::failing)) {
            assertThat(recorder.await(Failed.class).actor()).isEqualTo("reserve");
            failsFor(Waits.failure(reserve.takeLater()), "as wanted");
            assertThat(reserve.take()).isEqualTo(1);
            assertThat(recorder.of(Failed.class)).hasSize(2);
            assertThat(refills).containsExactly(-1, -1, 2);
        }
    }

    @Promise("46.17")
    @EveryStrategy
    void allWhoWaitGetTheFailureOfOneRefill(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // the thread that opens the reserve runs the refill itself
        }
        var go = new CountDownLatch(1);
        try (var scope = scope(strategy);
                var reserve = open(scope, ReserveOptions.of(1, 2), missing -> {
                    if (refills.isEmpty()) {
                        return make(1); // and then another refill follows
                    }
                    Waits.on(go);
                    return failing(missing);
                })) {
            failures.set(1);
            hasSize(reserve, 1);
            assertThat(reserve.take()).isEqualTo(1);
            var results = List.of(reserve.takeLater(), reserve.takeLater(), reserve.takeLater());
            go.countDown();
            for (var result : results) {
                failsFor(Waits.failure(result), "as wanted");
            }
            assertThat(recorder.of(Failed.class)).hasSize(1);
            assertThat(reserve.take()).isEqualTo(2);
        } finally {
            go.countDown();
        }
    }

    @Promise("46.17")
    @EveryStrategy
    void withABackoffTheRefillIsTriedAgainAndThoseWhoWaitGoOn(Strategy strategy) throws Exception {
        var options = failingAtFirst(3).withBackoff(SECOND);
        try (var scope = scope(strategy); var reserve = open(scope, options, this::failing)) {
            recorder.await(Failed.class, 1);
            var result = reserve.takeLater();
            for (int pause : new int[]{1, 2, 3}) {
                int before = refills.size();
                Waits.until("the pause begins", () -> time.pending() == 1);
                time.advance(SECOND.multipliedBy(pause).minusNanos(1));
                assertThat(refills).hasSize(before);
                time.advance(Duration.ofNanos(1));
                Waits.until("it is tried again", () -> refills.size() > before);
            }
            assertThat(Waits.on(result)).isEqualTo(1);
            assertThat(recorder.of(Failed.class)).hasSize(3);
        }
    }

    @Promise("46.17")
    @EveryStrategy
    void noValueAndTooManyValuesAreFailures(Strategy strategy) throws Exception {
        var made = new ArrayList<List<Integer>>(List.of(List.of(), List.of(1, 2, 3, 4)));
        try (var scope = scope(strategy);
                var reserve = open(scope, ReserveOptions.of(1, 2),
                        missing -> made.isEmpty() ? make(missing) : made.removeFirst())) {
            assertThat(recorder.await(Failed.class).cause())
                    .hasMessageContaining("'reserve' has returned no value");
            assertThat(reserve.take()).isEqualTo(1);
            assertThat(recorder.await(Failed.class, 2).get(1).cause())
                    .hasMessageContaining("has returned 4 values, and only 2 were missing");
            assertThat(left).containsExactly(3, 4);
            assertThat(reserve.take()).isEqualTo(2);
        }
    }

    @Promise("46.17")
    @EveryStrategy
    void aRestartAlsoTriesAgain(Strategy strategy) throws Exception {
        failures.set(1);
        try (var scope = scope(strategy);
                var reserve = open(scope,
                        ReserveOptions.of(1, 2).withActors(
                                actor -> actor.onFailure(FailurePolicy.restart(3, Duration.ofMinutes(1)))),
                        this::failing)) {
            hasSize(reserve, 2);
            assertThat(refills).containsExactly(-1, 2);
        }
    }

    @Promise("46.16")
    @EveryStrategy
    void noMoreWaitThanMay(Strategy strategy) throws Exception {
        var options = failingAtFirst(1).withBackoff(SECOND).withWaiting(2);
        try (var scope = scope(strategy); var reserve = open(scope, options, this::failing)) {
            recorder.await(Failed.class);
            var first = reserve.takeLater();
            var second = reserve.takeLater();
            assertThat(Waits.failure(reserve.takeLater())).isInstanceOf(TooManyWaitingException.class)
                    .hasMessageContaining("as many wait for one as may, 2");
            assertThatThrownBy(reserve::take).isInstanceOf(TooManyWaitingException.class);
            first.cancel(false);
            Waits.until("one place is free", () -> reserve.waiting() == 1);
            var third = reserve.takeLater();
            time.advance(SECOND);
            assertThat(Waits.on(second)).isEqualTo(1);
            assertThat(Waits.on(third)).isEqualTo(2);
        }
    }

    @Promise("46.16")
    @EveryStrategy
    void anInterruptEndsAWaitAndTakesNoValue(Strategy strategy) throws Exception {
        try (var scope = scope(strategy);
                var reserve = open(scope, failingAtFirst(1).withBackoff(SECOND), this::failing)) {
            recorder.await(Failed.class);
            var interrupted = new CountDownLatch(1);
            var taker = Thread.ofPlatform().daemon().start(() -> {
                try {
                    reserve.take();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
            });
            Waits.until("it waits", () -> reserve.waiting() == 1 && isParkedForAnAnswer(taker));
            taker.interrupt();
            Waits.on(interrupted);
            Waits.until("it has left", () -> reserve.waiting() == 0);
            time.advance(SECOND);
            assertThat(reserve.take()).isEqualTo(1);
        }
    }

    /** On its caller the actor has handled the request by then: an interrupt before that would belong to its handler. */
    private static boolean isParkedForAnAnswer(Thread thread) {
        var blocker = LockSupport.getBlocker(thread);
        return blocker != null && !(blocker instanceof AbstractQueuedSynchronizer);
    }

    @Promise({"46.15", "46.16", "46.18"})
    @EveryStrategy
    void noValueIsLostWhenTakersAreInterrupted(Strategy strategy) throws Exception {
        var taken = new ConcurrentLinkedQueue<Integer>();
        try (var scope = scope(strategy); var reserve = open(scope, ReserveOptions.of(1, 2), this::make)) {
            var takers = new ArrayList<Thread>();
            for (int i = 0; i < 3; i++) {
                takers.add(Thread.ofPlatform().start(() -> {
                    for (int n = 0; n < 500; n++) {
                        try {
                            taken.add(reserve.take());
                        } catch (InterruptedException e) {
                            n--;
                        }
                    }
                }));
            }
            while (takers.stream().anyMatch(Thread::isAlive)) {
                takers.forEach(Thread::interrupt);
                Thread.yield();
            }
        }
        var all = new ArrayList<>(taken);
        all.addAll(left);
        assertThat(all).doesNotHaveDuplicates().hasSize(numbers.get());
    }

    @Promise("46.16")
    @EveryStrategy
    void aCircleThroughTheRefillIsFound(Strategy strategy) throws Exception {
        var asked = new AtomicReference<Actor<String, Integer>>();
        var reserveOf = new CompletableFuture<Reserve<Integer>>();
        var begun = new CountDownLatch(1);
        try (var scope = scope(strategy)) {
            asked.set(scope.named("asked").newActorWithReturn((String message) -> {
                begun.countDown();
                return reserveOf.get().take();
            }));
            failures.set(1);
            var reserve = open(scope, ReserveOptions.of(1, 1), missing -> {
                failing(missing); // when it is opened
                return List.of(asked.get().sendMessageReturnWait("make one"));
            });
            recorder.await(Failed.class);
            reserveOf.complete(reserve);
            var answer = asked.get().sendMessageReturn("take one");
            Waits.on(begun);
            assertThat(Stream.iterate(Waits.failure(answer), Objects::nonNull, Throwable::getCause))
                    .hasAtLeastOneElementOfType(AskCycleException.class);
        }
    }

    @Promise("46.18")
    @EveryStrategy
    void whatIsLeftIsHandedOver(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var reserve = Reserve.<Integer>open(scope, "reserve", ReserveOptions.of(1, 3), this::make,
                    value -> {
                        left.add(value);
                        throw new IllegalStateException("left " + value);
                    });
            hasSize(reserve, 3);
            assertThat(reserve.take()).isEqualTo(1);
            assertThat(reserve.stop(SECOND).forced()).isFalse();
            Waits.on(reserve.onStopped());
            assertThat(left).containsExactly(2, 3);
            assertThat(recorder.await(Failed.class).cause()).hasMessage("left 2");
            assertThat(reserve.size()).isZero();
            assertThatThrownBy(reserve::take).isInstanceOf(ActorStoppedException.class)
                    .hasMessageContaining("'reserve' has ended");
            assertThat(Waits.failure(reserve.takeLater())).isInstanceOf(ActorStoppedException.class);
        }
    }

    @Promise("46.18")
    @EveryStrategy
    void theEndOfTheScopeEndsAllWaits(Strategy strategy) throws Exception {
        var scope = scope(strategy);
        var reserve = open(scope, failingAtFirst(1).withBackoff(SECOND), this::failing);
        recorder.await(Failed.class);
        var result = reserve.takeLater();
        scope.close();
        assertThat(Waits.failure(result)).isInstanceOf(ActorStoppedException.class);
        assertThat(time.pending()).isZero();
    }

    @Promise("46.15")
    @EveryStrategy
    void valuesThatAreMadeOneByOneAreThereOneByOne(Strategy strategy) throws Exception {
        try (var scope = scope(strategy);
                var reserve = open(scope, ReserveOptions.of(2, 4), Refill.each(numbers::incrementAndGet))) {
            hasSize(reserve, 4);
            assertThat(reserve.take()).isEqualTo(1);
        }
        assertThat(left).containsExactly(2, 3, 4);
    }

    @Test
    void wrongNumbersAreRefused() {
        assertThatThrownBy(() -> ReserveOptions.of(0, 1)).hasMessage("least must be at least 1: 0");
        assertThatThrownBy(() -> ReserveOptions.of(3, 2))
                .hasMessage("most must not be less than least, 3: 2");
        assertThatThrownBy(() -> ReserveOptions.of(1, 2).withWaiting(-1))
                .hasMessage("waiting must not be negative: -1");
    }
}
