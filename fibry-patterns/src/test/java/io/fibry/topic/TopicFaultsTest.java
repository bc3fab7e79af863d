package io.fibry.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Stopped;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that wait for each other, hang, are interrupted or have no stack left, and what a refused open leaves. */
class TopicFaultsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final SubscriberOptions LAST = SubscriberOptions.defaults().withLast();

    @Promise({"41.4", "41.5"})
    @Test
    void handlersThatPublishCrosswiseToFullMailboxesDoNotHang() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topics = Topics.<Integer>open(scope, "all", Delivery.PUBLISHER.options()
                    .withMailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())));
            var both = new CyclicBarrier(2);
            for (var name : List.of("a", "b")) {
                var other = name.equals("a") ? "b" : "a";
                topics.subscribe(name, (topic, n) -> {
                    if (n == 0) {
                        both.await();
                        for (int i = 1; i < 4; i++) {
                            topics.publish(other, i);
                        }
                    }
                });
            }
            var first = Thread.ofVirtual().start(() -> topics.publish("a", 0));
            var second = Thread.ofVirtual().start(() -> topics.publish("b", 0));
            Waits.on(first);
            Waits.on(second);
            Waits.until("all have a fate", () -> topics.counters().total() == 8);
        }
    }

    @Promise("41.10")
    @ParameterizedTest
    @EnumSource(Delivery.class)
    void handlersThatWaitForEachOtherCrosswiseDoNotHang(Delivery way) throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topics = Topics.<Integer>open(scope, "all", way.options());
            var both = new CyclicBarrier(2);
            var cycles = new ConcurrentLinkedQueue<AskCycleException>();
            for (var name : List.of("a", "b")) {
                var other = name.equals("a") ? "b" : "a";
                topics.subscribe(name, (topic, n) -> {
                    if (n == 0) {
                        both.await();
                        try {
                            topics.topic(other).publishAndWait(1);
                        } catch (AskCycleException cycle) {
                            cycles.add(cycle);
                        }
                    }
                });
            }
            var first = Thread.ofVirtual().start(() -> topics.publish("a", 0));
            var second = Thread.ofVirtual().start(() -> topics.publish("b", 0));
            Waits.on(first);
            Waits.on(second);
            Waits.until("all are handled", () -> topics.counters().handled() == 4);
            assertThat(cycles).isNotEmpty();
        }
    }

    @Promise({"41.4", "41.5"})
    @Test
    void aHandlerThatHangsHoldsUpThePublisherThatRunsItAndNoOther() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "one", Delivery.PUBLISHER.options());
            var begun = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var seen = new ConcurrentLinkedQueue<Integer>();
            topic.subscribe(n -> {
                seen.add(n);
                begun.countDown();
                go.await();
            });
            var hanging = Thread.ofVirtual().start(() -> topic.publish(1));
            Waits.on(begun);
            assertThat(topic.publish(2)).isEqualTo(1);
            assertThat(seen).containsExactly(1);
            go.countDown();
            Waits.on(hanging);
            Waits.until("the other message is handled", () -> seen.size() == 2);
        }
    }

    /** The interrupt of a publisher reaches the handler that it runs; the messages of others are handled. */
    @Promise("41.5")
    @Test
    void aHandlerThatIsInterruptedHasFailedAndGetsTheNextMessage() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "one", TopicOptions.defaults());
            var begun = new CountDownLatch(1);
            var handling = new AtomicReference<Thread>();
            var seen = new ConcurrentLinkedQueue<Integer>();
            var hangs = topic.subscribe(n -> {
                seen.add(n);
                if (n == 1) {
                    handling.set(Thread.currentThread());
                    begun.countDown();
                    new CountDownLatch(1).await();
                }
            });
            var other = topic.subscribe(n -> {
            });
            topic.publish(1);
            topic.publish(2);
            Waits.on(begun);
            handling.get().interrupt();
            Waits.until("both have both", () -> topic.counters().total() == 4);
            assertThat(hangs.counters()).isEqualTo(new Counters(1, 1, 0, 0, 0, 0));
            assertThat(other.counters()).isEqualTo(new Counters(2, 0, 0, 0, 0, 0));
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ignored) {
                continue; // its turn begins when the latch is opened
            }
        }
    }

    private static int deeper(int depth) {
        return deeper(depth + 1) + 1;
    }

    @Promise({"41.1", "41.5"})
    @ParameterizedTest
    @EnumSource(Delivery.class)
    void errorsOfHandlersLeaveTheDeliveryAsItWas(Delivery way) throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "one", way.options());
            topic.subscribe(n -> {
                if (n == 1) {
                    deeper(0);
                } else if (n == 2) {
                    throw new OutOfMemoryError("as wanted");
                }
            });
            topic.subscribe(n -> {
            });
            for (int i = 1; i <= 3; i++) {
                topic.publish(i);
            }
            assertThat(topic.publishAndWait(4).isHandledByAll()).isTrue();
            Waits.until("all have a fate", () -> topic.counters().total() == 8);
            assertThat(topic.counters()).isEqualTo(new Counters(6, 2, 0, 0, 0, 0));
        }
    }

    private static void publishWithLeastStack(Topic<Integer> topic) {
        try {
            publishWithLeastStack(topic);
        } catch (StackOverflowError first) {
            topic.publish(1); // as many times, with more and more stack, as it throws
        }
    }

    @Promise({"41.1", "41.4"})
    @ParameterizedTest
    @EnumSource(Delivery.class)
    void aPublisherWithoutStackLeavesTheDeliveryAsItWas(Delivery way) throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "one", way.options());
            topic.subscribe(n -> {
            });
            topic.subscribe(n -> {
            });
            var publisher = new Thread(null, () -> publishWithLeastStack(topic), "publisher", 256 * 1024);
            publisher.start();
            Waits.on(publisher);
            assertThat(topic.publishAndWait(2).isHandledByAll()).isTrue();
            assertThat(topic.counters().failed()).isZero();
        }
    }

    @Test
    void anOpenOrASubscriptionThatIsRefusedLeavesNothing() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var fails = new AtomicBoolean(true);
            var options = TopicOptions.defaults().withActors(actor -> {
                if (fails.get()) {
                    throw new IllegalStateException("as wanted");
                }
                return actor;
            });
            assertThatThrownBy(() -> {
                try (var refused = Topics.<Integer>open(scope, "all", options)) {
                    refused.topic("a").subscribe(n -> {
                    });
                }
            }).hasMessage("as wanted");
            assertThatThrownBy(() -> {
                try (var refused = Topic.<Integer>open(scope, "one", options)) {
                    refused.subscribe(n -> {
                    });
                }
            }).hasMessage("as wanted");
            Waits.left(scope);
            fails.set(false);
            var topics = Topics.<Integer>open(scope, "all", options);
            topics.topic("a").subscribe(n -> {
            });
            fails.set(true);
            var before = EngineProbe.footprint(scope);
            assertThatThrownBy(() -> topics.subscribe("a", (topic, n) -> {
            })).hasMessage("as wanted");
            assertThat(topics.subscriptions()).isEqualTo(1);
            Waits.until("nothing is left of them", () -> EngineProbe.footprint(scope) == before);
            topics.close();
            Waits.left(scope);
        }
    }

    @Test
    void anObservableThatIsRefusedLeavesNothing() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var fails = scope.child("fails").strategy(actor -> {
                throw new IllegalStateException("as wanted");
            }).open();
            assertThatThrownBy(() -> ObservableValue.open(scope, "level", nullValue()))
                    .isInstanceOf(NullPointerException.class);
            try (var source = ObservableValue.open(scope.child("other").open(), "source", 1)) {
                var before = EngineProbe.footprint(scope);
                assertThatThrownBy(() -> ObservableView.combined(fails, "sum", List.of(source),
                        all -> all.getFirst())).hasMessage("as wanted");
                assertThatThrownBy(() -> ObservableView.combined(scope, "sum", List.of(source),
                        all -> nullValue())).isInstanceOf(NullPointerException.class);
                Waits.until("nothing is left", () -> EngineProbe.footprint(scope) == before);
            }
        }
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T nullValue() {
        return null;
    }

    @Promise("42.6")
    @Test
    void aWaitThatALimitRefusesLeavesNothing() throws Exception {
        try (var scope = TopicEdgesTest.limited(new ManualTime())) {
            var value = ObservableValue.open(scope, "level", 0);
            var go = new CountDownLatch(1);
            TopicEdgesTest.fill(scope, go);
            var before = EngineProbe.footprint(scope);
            try {
                var never = value.when(n -> n > 0);
                assertThat(never.isCompletedExceptionally()).isTrue();
            } catch (MailboxFullException refused) {
                assertThat(value.observers()).isZero();
            }
            Waits.until("its actor has ended", () -> EngineProbe.footprint(scope) == before);
            go.countDown();
        }
    }

    @Promise({"42.4", "42.6"})
    @Test
    void aValueIsClosedAlsoIfALimitRefusesToTellThoseWhoWait() throws Exception {
        try (var scope = TopicEdgesTest.limited(new ManualTime())) {
            var value = ObservableValue.open(scope, "level", 0);
            var never = value.when(n -> n > 0);
            assertThat(scope.awaitIdle(Duration.ofMinutes(1))).isTrue();
            var go = new CountDownLatch(1);
            TopicEdgesTest.fill(scope, go);
            try {
                value.close();
                assertThat(value.onStopped()).isDone();
                assertThatThrownBy(() -> Waits.on(never)).hasCauseInstanceOf(ActorStoppedException.class);
            } finally {
                go.countDown();
            }
        }
    }

    @Promise("41.1")
    @Test
    void aSubscriptionThatEndsBeforeItsFirstMessageCountsWhatItWasToBeginWith() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var go = new CountDownLatch(1);
            var topics = Topics.<Integer>open(scope, "all", TopicOptions.defaults().keepingLast()
                    .withActors(actor -> actor
                            .strategy(CreationStrategy.of(turn -> Thread.ofVirtual().start(() -> {
                                awaitUninterrupted(go);
                                turn.run();
                            })))));
            for (var name : List.of("a", "b", "c")) {
                topics.publish(name, 1);
            }
            var never = topics.subscribe("*", LAST, (topic, n) -> {
            });
            assertThat(topics.stop(Duration.ZERO).forced()).isTrue();
            go.countDown();
            Waits.until("it has ended", () -> topics.counters().total() == 3);
            assertThat(never.counters()).isEqualTo(new Counters(0, 0, 0, 0, 0, 3));
            assertThat(topics.counters()).isEqualTo(new Counters(0, 0, 0, 0, 0, 3));
        }
    }

    @Promise({"41.7", "41.1"})
    @Test
    void aSubscriberOfAPatternBeginsOnTheSubscribingThread() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topics = Topics.<Integer>open(scope, "all", Delivery.PUBLISHER.options().keepingLast());
            topics.publish("a", 1);
            topics.publish("b", 2);
            var seen = new ConcurrentLinkedQueue<Object>();
            topics.subscribe("*", LAST, (topic, n) -> {
                seen.add(n);
                seen.add(Thread.currentThread());
            });
            assertThat(seen).containsExactly(1, Thread.currentThread(), 2, Thread.currentThread());
        }
    }

    @Promise("42.9")
    @Test
    void aCombinedValueClosesAlsoIfItsActorHasStopped() throws Exception {
        var recorder = new Recorder();
        try (var outside = Scopes.on(Strategy.FIBERS);
                var scope = Scopes.on(Strategy.FIBERS, recorder, new ManualTime())) {
            var source = ObservableValue.open(outside, "source", 0);
            var combined = ObservableView.combined(scope, "combined", List.of(source), all -> {
                if (all.getFirst() == 1) {
                    EngineProbe.endCurrentActor();
                }
                return all.getFirst();
            });
            source.set(1);
            recorder.await(Stopped.class, 1);
            source.close();
            assertThat(Waits.on(combined.onStopped()).stopped()).isTrue();
            assertThat(combined.get()).isEqualTo(1);
        }
    }

    @Promise({"41.9", "42.6", "42.4"})
    @Test
    void durationsWithoutEndMeanForEver() throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(Strategy.FIBERS, event -> {
        }, time)) {
            var topics = Topics.<Integer>open(scope, "all", TopicOptions.defaults());
            var topic = topics.topic("a");
            topic.subscribe(n -> {
            });
            topic.publish(1);
            assertThat(topic.stop(FOR_EVER).stopped()).isTrue();
            assertThat(topics.stop(FOR_EVER).stopped()).isTrue();
            var value = ObservableValue.open(scope, "level", 0);
            var waiting = new CompletableFuture<Integer>();
            var waiter = Thread.ofVirtual().start(() -> {
                try {
                    waiting.complete(value.await(n -> n > 0, FOR_EVER));
                } catch (Exception failure) {
                    waiting.completeExceptionally(failure);
                }
            });
            Waits.until("it waits", () -> value.observers() == 1);
            time.advance(Duration.ofDays(100 * 365));
            value.set(1);
            assertThat(Waits.on(waiting)).isEqualTo(1);
            Waits.on(waiter);
            assertThat(value.stop(FOR_EVER).stopped()).isTrue();
        }
    }
}
