package io.fibry.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.Counters;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Values and maps that are observed: order, the last change, conditions, ends. */
class ObservableTest {
    private static final ObserverOptions CURRENT = ObserverOptions.defaults().withCurrent();
    private static final int CHANGES = 2_000;

    private static List<Integer> upTo(int last) {
        return IntStream.rangeClosed(0, last).boxed().toList();
    }

    @Promise({"42.1", "42.4"})
    @EveryStrategy
    void anObserverGetsTheChangesInTheirOrder(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            var value = ObservableValue.open(scope, "level", 0);
            var current = new ConcurrentLinkedQueue<Integer>();
            var later = new ConcurrentLinkedQueue<Integer>();
            var toActor = new ConcurrentLinkedQueue<Integer>();
            var actor = scope.anonymous().newActor((Integer n) -> toActor.add(n));
            var subscription = value.subscribe(CURRENT, current::add);
            value.subscribe(later::add);
            value.subscribe(CURRENT, actor);
            assertThat(value.observers()).isEqualTo(3);
            for (int i = 1; i <= 500; i++) {
                assertThat(value.set(i)).isEqualTo(i - 1);
                assertThat(value.set(i)).as("no change").isEqualTo(i);
                assertThat(value.get()).isEqualTo(i);
            }
            value.close();
            actor.close();
            assertThat(current).containsExactlyElementsOf(upTo(500));
            assertThat(later).containsExactlyElementsOf(upTo(500).subList(1, 501));
            assertThat(toActor).containsExactlyElementsOf(upTo(500));
            assertThat(subscription.counters()).isEqualTo(new Counters(501, 0, 0, 0, 0, 0));
            assertThat(value.counters().handled()).isEqualTo(1_502);
            assertThat(value.observers()).isZero();
            assertThat(value.get()).isEqualTo(500);
        }
    }

    /** Observers that come while the value changes, with and without coalescing. */
    @Promise("42.1")
    @EveryStrategy
    void noObserverMissesAChangeOrTheLastOne(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var value = ObservableValue.open(scope, "race", 0);
            var all = new ConcurrentLinkedQueue<ConcurrentLinkedQueue<Integer>>();
            var latest = new ConcurrentLinkedQueue<ConcurrentLinkedQueue<Integer>>();
            Senders.run(4, sender -> {
                for (int i = 0; i < CHANGES / 2; i++) {
                    if (sender < 2) {
                        value.update(n -> n + 1);
                    } else if (i % 100 == 0) {
                        var mine = new ConcurrentLinkedQueue<Integer>();
                        (sender == 2 ? all : latest).add(mine);
                        var options = CURRENT.withMost(CHANGES);
                        value.subscribe(sender == 2 ? options : options.coalescing(), mine::add);
                    }
                }
            });
            assertThat(value.get()).isEqualTo(CHANGES);
            Waits.until("all observers have the last change", () -> all.stream()
                    .allMatch(each -> each.contains(CHANGES))
                    && latest.stream().allMatch(each -> each.contains(CHANGES)));
            value.close();
            for (var each : all) {
                var numbers = List.copyOf(each);
                assertThat(numbers).isEqualTo(upTo(CHANGES).subList(numbers.getFirst(), CHANGES + 1));
            }
            for (var each : latest) {
                assertThat(List.copyOf(each)).isSorted().doesNotHaveDuplicates();
            }
        }
    }

    @Promise("42.4")
    @Test
    void aSlowObserverDelaysNoneAndKeepsNoMoreThanItsOptionsAllow() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var value = ObservableValue.open(scope, "flood", 0);
            var begun = new CountDownLatch(2);
            var go = new CountDownLatch(1);
            var bounded = new ConcurrentLinkedQueue<Integer>();
            var latest = new ConcurrentLinkedQueue<Integer>();
            var first = value.subscribe(CURRENT.withMost(10), n -> {
                bounded.add(n);
                begun.countDown();
                go.await();
            });
            var second = value.subscribe(CURRENT.coalescing(), n -> {
                latest.add(n);
                begun.countDown();
                go.await();
            });
            Waits.on(begun);
            for (int i = 1; i <= 1_000; i++) {
                value.set(i);
            }
            go.countDown();
            value.close();
            assertThat(bounded).containsExactly(0, 991, 992, 993, 994, 995, 996, 997, 998, 999, 1_000);
            assertThat(first.counters()).isEqualTo(new Counters(11, 0, 0, 990, 0, 0));
            assertThat(latest).containsExactly(0, 1_000);
            assertThat(second.counters()).isEqualTo(new Counters(2, 0, 0, 999, 0, 0));
        }
    }

    @Promise("42.5")
    @Test
    void compareAndSetComparesWithThePresentValue() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var value = ObservableValue.open(scope, "cas", 128_000);
            assertThat(value.compareAndSet(1, 2)).isFalse();
            assertThat(value.compareAndSet(Integer.parseInt("128000"), 2)).as("an equal object").isTrue();
            assertThat(value.get()).isEqualTo(2);
        }
    }

    @Promise({"42.6", "42.5"})
    @EveryStrategy
    void anObserverMaySetTheValue(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var value = ObservableValue.open(scope, "self", 0);
            var seen = new ConcurrentLinkedQueue<Integer>();
            var other = new ConcurrentLinkedQueue<Integer>();
            value.subscribe(ObserverOptions.named("setter").withMost(10_000), n -> {
                seen.add(n);
                if (n < 5_000) {
                    value.set(n + 1);
                }
            });
            value.subscribe(ObserverOptions.named("other").withMost(10_000), other::add);
            value.set(1);
            assertThat(value.await(n -> n == 5_000)).isEqualTo(5_000);
            value.close();
            assertThat(seen).containsExactlyElementsOf(upTo(5_000).subList(1, 5_001));
            assertThat(other).containsExactlyElementsOf(upTo(5_000).subList(1, 5_001));
        }
    }

    @Promise("42.6")
    @EveryStrategy
    void aThreadWaitsForACondition(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var value = ObservableValue.open(scope, "level", 0);
            assertThat(value.await(n -> n == 0)).as("it holds already").isZero();
            var future = value.when(n -> n >= 3);
            var waiter = CompletableFuture.supplyAsync(() -> {
                try {
                    return value.await(n -> n >= 2, Duration.ofMinutes(1));
                } catch (InterruptedException | TimeoutException e) {
                    throw new IllegalStateException(e);
                }
            }, task -> Thread.ofPlatform().daemon().start(task));
            Waits.until("the thread waits", () -> value.observers() == 2);
            value.set(1);
            value.set(2);
            assertThat(Waits.on(waiter)).isEqualTo(2);
            value.set(7);
            assertThat(Waits.on(future)).isEqualTo(7);
            Waits.until("nothing waits", () -> value.observers() == 0);
        }
    }

    @Promise("42.6")
    @Test
    void aWaitEndsByTimeCancelInterruptFailureOrEnd() throws Exception {
        var recorder = new Recorder();
        var time = new ManualTime();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder, time)) {
            var value = ObservableValue.open(scope, "never", 0);
            var late = CompletableFuture.supplyAsync(() -> {
                try {
                    return value.await(n -> n > 0, Duration.ofSeconds(5));
                } catch (InterruptedException | TimeoutException e) {
                    throw new IllegalStateException(e);
                }
            }, task -> Thread.ofPlatform().daemon().start(task));
            Waits.until("the thread waits", () -> value.observers() == 1);
            time.advance(Duration.ofSeconds(5));
            assertThat(Waits.failure(late)).cause().isInstanceOf(TimeoutException.class)
                    .hasMessageContaining("'never'");
            Waits.until("the test has ended", () -> value.observers() == 0);

            var cancelled = value.when(n -> n > 0);
            assertThat(value.observers()).isEqualTo(1);
            cancelled.cancel(true);
            Waits.until("the test has ended", () -> value.observers() == 0);

            var interrupted = new CompletableFuture<Object>();
            var thread = Thread.ofPlatform().daemon().start(() -> {
                try {
                    interrupted.complete(value.await(n -> n > 0));
                } catch (Throwable failure) {
                    interrupted.complete(failure);
                }
            });
            Waits.until("the thread waits", () -> value.observers() == 1);
            thread.interrupt();
            assertThat(Waits.on(interrupted)).isInstanceOf(InterruptedException.class);
            Waits.until("the test has ended", () -> value.observers() == 0);

            var failing = value.when(n -> {
                if (n == 0) {
                    return false;
                }
                throw new IllegalArgumentException("as wanted");
            });
            value.set(1);
            assertThat(Waits.failure(failing)).isInstanceOf(IllegalArgumentException.class);
            assertThat(recorder.of(Failed.class)).as("its owner knows").isEmpty();

            var ended = value.when(n -> n > 100);
            value.close();
            assertThat(Waits.failure(ended)).isInstanceOf(ActorStoppedException.class);
            assertThat(Waits.failure(value.when(n -> n > 100))).isInstanceOf(ActorStoppedException.class);
            assertThatThrownBy(() -> value.await(n -> n > 100)).isInstanceOf(ActorStoppedException.class);
            assertThat(value.await(n -> n == 1)).isEqualTo(1);
        }
    }

    @Promise("42.6")
    @Test
    void noWaiterMissesItsConditionWhenTheValueIsSetMeanwhile() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var value = ObservableValue.open(scope, "turns", 0);
            Senders.run(2, sender -> {
                for (int i = sender; i < 200; i += 2) {
                    int mine = i;
                    value.await(n -> n == mine);
                    value.set(mine + 1);
                }
            });
            assertThat(value.get()).isEqualTo(200);
        }
    }

    @Promise("42.4")
    @EveryStrategy
    void aFailureIsReportedOnceAndTheNextChangesCome(Strategy strategy) {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var value = ObservableValue.open(scope, "bad", 0);
            var seen = new ConcurrentLinkedQueue<Integer>();
            var subscription = value.subscribe(ObserverOptions.named("odd"), n -> {
                if (n % 2 == 0) {
                    throw new IllegalStateException("even " + n);
                }
                seen.add(n);
            });
            for (int i = 1; i <= 9; i++) {
                value.set(i);
            }
            value.close();
            assertThat(seen).containsExactly(1, 3, 5, 7, 9);
            assertThat(recorder.of(Failed.class)).extracting(failed -> failed.cause().getMessage())
                    .containsExactly("even 2", "even 4", "even 6", "even 8");
            assertThat(recorder.of(Failed.class))
                    .allMatch(failed -> failed.message().orElseThrow() == Integer.class
                            && failed.actor().equals(subscription.name()));
            assertThat(subscription.name()).startsWith("bad/odd-");
            assertThat(subscription.counters()).isEqualTo(new Counters(5, 4, 0, 0, 0, 0));
        }
    }

    @Promise("42.9")
    @EveryStrategy
    void aCombinedValueFollowsItsSources(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var left = ObservableValue.open(scope, "left", 0);
            var right = ObservableValue.open(scope, "right", 0);
            var sum = ObservableView.combined(scope, "sum", left, right, Integer::sum);
            var text =
                    ObservableView.combined(scope, "text", List.of(left, right, sum), List::toString);
            assertThat(text.get()).isEqualTo("[0, 0, 0]");
            Senders.run(2, sender -> {
                for (int i = 0; i < 500; i++) {
                    (sender == 0 ? left : right).update(n -> n + 1);
                }
            });
            assertThat(text.await("[500, 500, 1000]"::equals, Duration.ofMinutes(1))).isNotNull();
            assertThat(sum.get()).isEqualTo(1_000);
            left.close();
            right.update(n -> n + 1);
            assertThat(sum.await(n -> n == 1_001)).isEqualTo(1_001);
            right.close();
            assertThat(Waits.on(sum.onStopped()).stopped()).isTrue();
            assertThat(Waits.on(text.onStopped()).stopped()).isTrue();
            assertThat(text.get()).isEqualTo("[500, 501, 1001]");
        }
    }

    @Promise("42.9")
    @Test
    void aFunctionThatThrowsLeavesTheCombinedValue() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            var source = ObservableValue.open(scope, "source", 1);
            var inverse = ObservableView.combined(scope, "inverse", List.of(source),
                    all -> 100 / all.getFirst());
            assertThat(inverse.get()).isEqualTo(100);
            source.set(0);
            recorder.await(Failed.class);
            assertThat(inverse.get()).isEqualTo(100);
            source.set(50);
            assertThat(inverse.await(n -> n == 2)).isEqualTo(2);
            assertThat(source.observers()).isEqualTo(1);
            inverse.close();
            Waits.until("it observes no more", () -> source.observers() == 0);
            assertThatThrownBy(() -> ObservableView.combined(scope, "none", List.of(), all -> 1))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'none'");
            source.close();
            assertThatThrownBy(() -> ObservableView.combined(scope, "late", List.of(source), all -> 1))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Promise("42.4")
    @EveryStrategy
    void anEndedObservableIsReadAndNotChanged(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var value = ObservableValue.open(scope, "ended", 1);
            var actor = scope.anonymous().newActor((Integer n) -> {
            });
            var withActor = value.subscribe(CURRENT, actor);
            actor.close();
            Waits.until("it has ended with its actor", () -> !withActor.isActive() && value.observers() == 0);
            var self = new CompletableFuture<Subscription>();
            var seen = new ConcurrentLinkedQueue<Integer>();
            self.complete(value.subscribe(ObserverOptions.defaults(), n -> {
                seen.add(n);
                self.join().close();
            }));
            value.set(2);
            value.set(3);
            Waits.until("it has ended itself", () -> value.observers() == 0);
            assertThat(value.stop(Duration.ofMinutes(1)).stopped()).isTrue();
            assertThat(seen).containsExactly(2);
            assertThat(Waits.on(value.onStopped()).stopped()).isTrue();
            assertThat(value.get()).isEqualTo(3);
            for (Runnable late : List.<Runnable>of(() -> value.set(4), () -> value.compareAndSet(3, 4),
                    () -> value.update(n -> 4), () -> value.subscribe(n -> {
                    }))) {
                assertThatThrownBy(late::run).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("closed");
            }
        }
    }

    @Promise("42.5")
    @Test
    void anUpdateThatSetsWhatItUpdatesEndsWithAnError() {
        try (var scope = ActorSystem.open("updates")) {
            var level = ObservableValue.open(scope, "level", 1);
            assertThatThrownBy(() -> level.update(n -> level.update(m -> m + 1) + 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("'level'", "sets", "return the new value instead");
            assertThat(level.get()).isEqualTo(2);
        }
    }
}
