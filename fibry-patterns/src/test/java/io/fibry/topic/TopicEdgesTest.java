package io.fibry.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Closes in the middle of a delivery, handlers that do not end, limits that refuse. */
class TopicEdgesTest {
    private static final SubscriberOptions LAST = SubscriberOptions.defaults().withLast();
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Topics<Integer> withLasts(ActorScope scope, Delivery way) {
        var topics = Topics.<Integer>open(scope, "all",
                way.options().keepingLast());
        for (var name : List.of("a", "b", "c")) {
            topics.publish(name, 1);
        }
        return topics;
    }

    @Promise({"41.1", "41.9"})
    @Test
    void aSubscriptionThatIsClosedGetsNoFurtherLastMessage() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topics = withLasts(scope, Delivery.PER_SUBSCRIBER);
            var mine = new CompletableFuture<Subscription>();
            var seen = new ConcurrentLinkedQueue<String>();
            mine.complete(topics.subscribe("*", LAST, (topic, n) -> {
                seen.add(topic);
                mine.join().close();
            }));
            Waits.until("all have a fate", () -> mine.join().counters().total() == 3);
            topics.close();
            assertThat(seen).containsExactly("a");
            assertThat(mine.join().counters()).isEqualTo(new Counters(1, 0, 0, 0, 0, 2));
        }
    }

    @Promise({"41.1", "41.9"})
    @Test
    void anInterruptEndsTheLastMessages() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topics = withLasts(scope, Delivery.PER_SUBSCRIBER);
            var begun = new CountDownLatch(1);
            var seen = new ConcurrentLinkedQueue<String>();
            var subscription = topics.subscribe("*", LAST, (topic, n) -> {
                seen.add(topic);
                begun.countDown();
                new CountDownLatch(1).await();
            });
            Waits.on(begun);
            assertThat(topics.stop(Duration.ZERO).forced()).isTrue();
            Waits.until("its actor has stopped", () -> topics.counters().total() == 3);
            assertThat(seen).containsExactly("a");
            assertThat(subscription.counters()).isEqualTo(new Counters(0, 1, 0, 0, 0, 2));
        }
    }

    @Promise("41.9")
    @Test
    void theDeadlineOfAStopIsSpentOnce() throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(Strategy.FIBERS, event -> {
        }, time)) {
            var topics = Topics.<Integer>open(scope, "all",
                    TopicOptions.defaults());
            var topic = topics.topic("stuck");
            var begun = new CountDownLatch(1);
            var forced = new CountDownLatch(1);
            topic.subscribe(n -> {
                begun.countDown();
                try {
                    new CountDownLatch(1).await();
                } finally {
                    forced.countDown();
                }
            });
            topic.publish(1);
            Waits.on(begun);
            var stopping = Thread.ofVirtual().start(() -> topic.stop(SECOND));
            Waits.until("it waits", () -> time.pending() > 0);
            time.advance(SECOND);
            Waits.on(forced);
            Waits.on(stopping);
        }
    }

    /** Makes an actor that is busy, and has one message waiting: all that the limit allows. */
    static void fill(ActorScope scope, CountDownLatch go) throws InterruptedException {
        var begun = new CountDownLatch(1);
        var busy = scope.anonymous().newActor((Integer n) -> {
            begun.countDown();
            go.await();
        });
        busy.sendMessage(1);
        Waits.on(begun);
        busy.sendMessage(2);
    }

    static ActorScope limited(ManualTime time) {
        return Scopes.configure().time(time)
                .limits(ScopeLimits.none().waiting(1).overflow(OverflowPolicy.fail())).open();
    }

    @Promise({"42.1", "42.4", "42.6"})
    @Test
    void whatALimitRefusesToTellIsToldWhenThereIsRoom() throws Exception {
        var time = new ManualTime();
        try (var scope = limited(time)) {
            var value = ObservableValue.open(scope, "level", 0);
            var all = new ConcurrentLinkedQueue<Integer>();
            var latest = new ConcurrentLinkedQueue<Integer>();
            value.subscribe(all::add);
            value.subscribe(ObserverOptions.defaults().coalescing(), latest::add);
            var reached = value.when(n -> n == 2);
            assertThat(scope.awaitIdle(Duration.ofMinutes(1))).isTrue();
            var go = new CountDownLatch(1);
            fill(scope, go);
            assertThat(value.set(1)).isZero();
            assertThat(value.set(2)).isOne();
            time.advance(SECOND);
            assertThat(all).as("refused again").isEmpty();
            go.countDown();
            Waits.until("all is told, and nothing changes any more", () -> {
                time.advance(SECOND);
                return all.size() == 2 && latest.contains(2) && reached.isDone();
            });
            assertThat(all).containsExactly(1, 2);
            assertThat(Waits.on(reached)).isEqualTo(2);
        }
    }

    @Promise({"42.9", "42.1"})
    @Test
    void aCombinedValueThatALimitRefusesToComputeIsComputedWhenThereIsRoom() throws Exception {
        var time = new ManualTime();
        try (var outside = Scopes.on(Strategy.FIBERS); var scope = limited(time)) {
            for (var closes : List.of(false, true)) {
                var source = ObservableValue.open(outside, "source", 0);
                var computed = new AtomicInteger();
                var doubled = ObservableView.combined(scope, "doubled", List.of(source), all -> {
                    computed.incrementAndGet();
                    return 2 * all.getFirst();
                });
                var reached = source.subscribe(n -> {
                });
                Waits.until("it was computed for the first signal", () -> computed.get() == 2);
                var go = new CountDownLatch(1);
                fill(scope, go);
                source.set(1);
                Waits.until("it was refused", () -> reached.counters().handled() == 1);
                if (closes) {
                    source.close();
                }
                go.countDown();
                Waits.until("it is computed, and nothing changes any more", () -> {
                    time.advance(SECOND);
                    return doubled.get() == 2 && doubled.onStopped().isDone() == closes;
                });
                source.close();
                Waits.until("it is closed", () -> {
                    time.advance(SECOND);
                    return doubled.onStopped().isDone();
                });
            }
        }
    }
}
