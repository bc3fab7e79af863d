package io.fibry.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.AskCycleException;
import io.fibry.Counters;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.StopReport;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.message.MessageFate;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How failures are reported, what becomes of each message, how subscriptions and topics end, and last messages. */
class TopicEndsTest {
    /** Those of an actor to which an actor of the topics sends the messages on. */
    private static final SubscriberOptions RELAYED =
            SubscriberOptions.defaults().withMailbox(MailboxPolicy.bounded(10, OverflowPolicy.reject()));

    private static final MailboxPolicy WIDE = MailboxPolicy.bounded(10_000, OverflowPolicy.reject());

    private static TopicOptions options(Delivery way) {
        return way.options().withMailbox(WIDE);
    }

    @Promise("41.5")
    @EveryStrategy
    void aHandlerThatThrowsIsReportedOnceAndHurtsNoOther(Strategy strategy) throws Exception {
        for (var way : Delivery.values()) {
            var recorder = new Recorder();
            try (var scope = Scopes.on(strategy, recorder)) {
                var topics = Topics.<Integer>open(scope, "all", options(way));
                var before = new ConcurrentLinkedQueue<Integer>();
                var after = new ConcurrentLinkedQueue<Integer>();
                topics.subscribe("market.tea", (topic, n) -> before.add(n));
                var exact = topics.topic("market.tea").subscribe(SubscriberOptions.named("exact"), n -> {
                    throw new IllegalStateException("exact " + n);
                });
                var wide = topics.subscribe("market.*", SubscriberOptions.named("wide"), (topic, n) -> {
                    throw new IllegalStateException("wide " + n);
                });
                topics.subscribe("market.tea", (topic, n) -> after.add(n));
                assertThat(topics.publish("market.tea", 1)).isEqualTo(4);
                assertThat(topics.publish("market.tea", 2)).isEqualTo(4);
                topics.close();
                assertThat(before).hasSize(2);
                assertThat(after).hasSize(2);
                var failures = recorder.of(Failed.class);
                assertThat(failures).as("%s", way).hasSize(4);
                assertThat(failures).extracting(failed -> failed.message().orElseThrow().getSimpleName())
                        .containsOnly("Integer");
                assertThat(failures).filteredOn(failed -> failed.actor().equals(exact.name()))
                        .extracting(failed -> failed.cause().getMessage())
                        .containsExactlyInAnyOrder("exact 1", "exact 2");
                assertThat(failures).filteredOn(failed -> failed.actor().equals(wide.name()))
                        .extracting(failed -> failed.about().orElse(""))
                        .containsExactly("market.tea", "market.tea");
                assertThat(exact.name()).startsWith("market.tea/exact-");
                assertThat(wide.name()).startsWith("market.*/wide-");
                assertThat(exact.counters()).isEqualTo(new Counters(0, 2, 0, 0, 0, 0));
                assertThat(topics.counters()).isEqualTo(new Counters(4, 4, 0, 0, 0, 0));
            }
        }
    }

    @Promise({"41.5", "41.9"})
    @Test
    void theFailurePolicyOfASubscriberEndsItsSubscription() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "strict",
                    options(Delivery.PER_SUBSCRIBER)
                            .withActors(actor -> actor.onFailure(FailurePolicy.stop())));
            var subscription = topic.subscribe(n -> {
                throw new IllegalStateException("as wanted");
            });
            topic.publish(1);
            Waits.until("the subscription has ended", () -> topic.subscribers() == 0);
            assertThat(subscription.isActive()).isFalse();
            assertThat(topic.publish(2)).isZero();
            assertThat(topic.counters()).isEqualTo(new Counters(0, 1, 0, 0, 0, 0));
        }
    }

    /** Its clock stands, so the close time-out would never be over. */
    @Promise("41.9")
    @Test
    void aCloseDoesNotWaitAgainForWhatItsScopeHasGivenUp() throws Exception {
        var scope = Scopes.on(Strategy.FIBERS, new Recorder(), new ManualTime());
        var begun = new CountDownLatch(2);
        var end = new CompletableFuture<Void>();
        var topics = Topics.<Integer>open(scope, "all", options(Delivery.PER_SUBSCRIBER));
        var both = List.of(topics.topic("one of all"),
                Topic.<Integer>open(scope, "single", options(Delivery.PER_SUBSCRIBER)));
        for (var topic : both) {
            topic.subscribe(n -> {
                begun.countDown();
                end.join();
            });
            topic.publish(1);
        }
        Waits.on(begun);
        assertThat(scope.stop(Duration.ZERO).stuck()).hasSize(2);
        for (var topic : both) {
            Waits.on(Thread.startVirtualThread(topic::close));
        }
        end.complete(null);
    }

    @Promise("41.10")
    @EveryStrategy
    void theFatesOfAMessageAreKnown(Strategy strategy) throws Exception {
        for (var way : Delivery.values()) {
            try (var scope = Scopes.on(strategy)) {
                var topic = Topic.<Integer>open(scope, "fates", options(way));
                assertThat(topic.publishAndWait(0).fates()).isEmpty();
                var good = topic.subscribe(n -> {
                });
                var bad = topic.subscribe(n -> {
                    throw new IllegalStateException("as wanted");
                });
                var actor = scope.anonymous().newActor((Integer n) -> {
                });
                var direct = topic.subscribe(actor);
                for (var result : List.of(Waits.on(topic.publishTracked(1)), topic.publishAndWait(2))) {
                    assertThat(result.topic()).isEqualTo("fates");
                    assertThat(result.subscribers()).isEqualTo(3);
                    assertThat(result.handled()).isEqualTo(2);
                    assertThat(result.isHandledByAll()).isFalse();
                    assertThat(result.fates().get(good.name()).isHandled()).isTrue();
                    assertThat(result.fates().get(direct.name()).isHandled()).isTrue();
                    assertThat(result.fates().get(bad.name())).isInstanceOf(MessageFate.Failed.class);
                }
                topic.close();
                assertThat(Waits.on(topic.publishTracked(3)).fates()).isEmpty();
            }
        }
    }

    @Promise("41.10")
    @ParameterizedTest
    @EnumSource(Delivery.class)
    void aWaitForOneselfIsRefused(Delivery way) throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "self", options(way));
            var outcome = new CompletableFuture<Object>();
            topic.subscribe(n -> {
                if (n == 0) {
                    try {
                        outcome.complete(topic.publishAndWait(1));
                    } catch (Throwable refused) {
                        outcome.complete(refused);
                    }
                } else {
                    outcome.join(); // beside the first one, if each message has a thread
                }
            });
            topic.publish(0);
            assertThat(Waits.on(outcome)).isInstanceOf(AskCycleException.class);
        }
    }

    @Promise("41.9")
    @EveryStrategy
    void aHandlerMayEndItsSubscription(Strategy strategy) throws Exception {
        for (var way : Delivery.values()) {
            var recorder = new Recorder();
            try (var scope = Scopes.on(strategy, recorder)) {
                var topic = Topic.<Integer>open(scope, "once", options(way));
                var mine = new CompletableFuture<Subscription>();
                var seen = new ConcurrentLinkedQueue<Integer>();
                mine.complete(topic.subscribe(n -> {
                    seen.add(n);
                    mine.join().close();
                    mine.join().close();
                }));
                for (int i = 0; i < 50; i++) {
                    topic.publish(i);
                }
                Waits.until("the subscription has ended", () -> topic.subscribers() == 0);
                topic.close();
                assertThat(seen).as("%s", way).containsExactly(0);
                assertThat(mine.join().isActive()).isFalse();
                assertThat(mine.join().counters().handled()).isEqualTo(1);
                assertThat(mine.join().counters().failed()).isZero();
            }
        }
    }

    @Promise("41.9")
    @ParameterizedTest
    @EnumSource(Delivery.class)
    void whatWaitsWhenASubscriptionIsClosedIsUndelivered(Delivery way) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            var topic = Topic.<Integer>open(scope, "closing", options(way));
            var begun = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var slow = topic.subscribe(n -> {
                begun.countDown();
                go.await();
            });
            var publisher = Thread.ofVirtual().start(() -> topic.publish(0));
            Waits.on(begun);
            for (int i = 0; i < 20; i++) {
                topic.publish(i);
            }
            var waiting = topic.publishTracked(20);
            slow.close();
            assertThat(slow.isActive()).isFalse();
            assertThat(topic.publish(99)).isZero();
            go.countDown();
            Waits.on(publisher);
            topic.close();
            assertThat(slow.counters()).as("%s", way).isEqualTo(new Counters(1, 0, 0, 0, 0, 21));
            assertThat(Waits.on(waiting).fates().get(slow.name()))
                    .isInstanceOf(MessageFate.Undelivered.class);
            assertThat(recorder.of(Undelivered.class)).isEmpty();
        }
    }

    @Promise("41.9")
    @EveryStrategy
    void aSubscriptionEndsWithItsActor(Strategy strategy) throws Exception {
        for (var way : Delivery.values()) {
            try (var scope = Scopes.on(strategy)) {
                var topics = Topics.<Integer>open(scope, "all", options(way).keepingLast());
                var actor = scope.anonymous().newActor((Integer n) -> {
                });
                var second = scope.anonymous().newActor((Integer n) -> {
                });
                var direct = topics.subscribe("a", actor);
                var queued = topics.subscribe("a.*", SubscriberOptions.defaults().withLast(), actor);
                var other = topics.subscribe("*", RELAYED, second);
                assertThat(topics.subscriptions()).isEqualTo(3);
                actor.close();
                Waits.until("two have ended", () -> topics.subscriptions() == 1);
                assertThat(direct.isActive() || queued.isActive()).isFalse();
                assertThat(other.isActive()).isTrue();
                second.close();
                Waits.until("all have ended", () -> topics.subscriptions() == 0);
                assertThat(topics.publish("a", 1)).isZero();
                assertThat(topics.subscribe("a", actor).isActive()).as("of an actor that has stopped")
                        .satisfiesAnyOf(active -> assertThat(active).isFalse(),
                                active -> Waits.until("it ends", () -> topics.subscriptions() == 0));
            }
        }
    }

    /** The callback publishes at about the time at which the subscriptions are removed. */
    @Promise({"41.9", "41.10"})
    @EveryStrategy
    void aMessageIsNotTakenForAnActorThatHasStopped(Strategy strategy) throws Exception {
        for (var way : Delivery.values()) {
            try (var scope = Scopes.on(strategy)) {
                var topics = Topics.<Integer>open(scope, "all", options(way).keepingLast());
                var actor = scope.anonymous().newActor((Object message) -> {
                });
                var taken = actor.onStopped().thenApply(report -> topics.publish("a", 1));
                topics.subscribe("a", actor);
                topics.subscribe("a*", SubscriberOptions.defaults(), actor);
                topics.subscribe("a", RELAYED, actor);
                topics.subscribe("*", RELAYED, actor);
                actor.close();
                assertThat(Waits.on(taken)).as("%s", way).isZero();
                Waits.until("all have ended", () -> topics.subscriptions() == 0);
                assertThat(topics.counters().handled()).isZero();
            }
        }
    }

    @Promise({"41.1", "41.9"})
    @Test
    void anActorThatStopsInTheMiddleOfAFlood() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "flood", options(Delivery.PER_SUBSCRIBER));
            var actor = scope.anonymous().newActor((context, n) -> {
                if (n.equals(500)) {
                    context.askExit();
                }
            });
            var subscription = topic.subscribe(actor);
            var other = topic.subscribe(n -> {
            });
            for (int i = 0; i < 5_000; i++) {
                topic.publish(i);
            }
            Waits.stopped(actor);
            topic.close();
            assertThat(other.counters().handled()).isEqualTo(5_000);
            assertThat(subscription.isActive()).isFalse();
        }
    }

    @Promise("41.9")
    @EveryStrategy
    void aClosedTopicTakesNoMessageAndNoSubscriber(Strategy strategy) throws Exception {
        for (var way : Delivery.values()) {
            try (var scope = Scopes.on(strategy)) {
                var topics = Topics.<Integer>open(scope, "all", options(way));
                var topic = topics.topic("a");
                var seen = new ConcurrentLinkedQueue<Integer>();
                topic.subscribe(seen::add);
                topics.subscribe("*", (name, n) -> seen.add(-n));
                var end = topic.onStopped();
                for (int i = 1; i <= 100; i++) {
                    topic.publish(i);
                }
                assertThat(topic.stop(Duration.ofSeconds(30)).stopped()).isTrue();
                assertThat(Waits.on(end).stopped()).isTrue();
                assertThat(seen).filteredOn(n -> n > 0).as("%s", way).hasSize(100);
                assertThat(topic.publish(101)).isZero();
                assertThat(topic.counters().refused()).isEqualTo(1);
                assertThatThrownBy(() -> topic.subscribe(n -> {
                })).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
                assertThat(topics.publish("a", 7)).as("a new topic of that name").isEqualTo(1);
                var report = topics.stop(Duration.ofSeconds(30));
                assertThat(report.stopped()).isTrue();
                assertThat(Waits.on(topics.onStopped())).isEqualTo(report);
                assertThat(topics.publish("a", 8)).isZero();
                assertThat(topics.publish("b", 8)).isZero();
                assertThatThrownBy(() -> topics.topic("c")).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("'all'");
                assertThat(topics.counters()).isEqualTo(new Counters(201, 0, 0, 0, 3, 0));
                topics.close();
            }
        }
    }

    @Promise("41.9")
    @Test
    void theEndOfTheScopeClosesTopics() throws Exception {
        CompletableFuture<StopReport> end;
        Subscription subscription;
        Topic<Integer> topic;
        try (var scope = Scopes.on(Strategy.FIBERS); var other = Scopes.on(Strategy.FIBERS)) {
            topic = Topic.open(scope, "short", options(Delivery.PER_SUBSCRIBER));
            end = topic.onStopped();
            subscription = topic.subscribe(other.anonymous().newActor((Integer n) -> {
            }));
            topic.publish(1);
            assertThat(scope.stop(Duration.ofSeconds(30)).stopped()).isTrue();
            assertThat(subscription.isActive()).isFalse();
            assertThat(topic.publish(2)).isZero();
        }
        assertThat(Waits.on(end).stopped()).isTrue();
        assertThat(subscription.counters().handled()).isEqualTo(1);
    }

    @Promise("41.9")
    @ParameterizedTest
    @EnumSource(Delivery.class)
    void aHandlerMayCloseItsTopic(Delivery way) throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "self", options(way));
            topic.subscribe(n -> topic.close());
            topic.publish(1);
            assertThat(Waits.on(topic.onStopped()).stopped()).isTrue();
            assertThat(topic.counters().handled()).isEqualTo(1);
        }
    }

    @Promise("41.7")
    @EveryStrategy
    void aSubscriberBeginsWithTheLastMessage(Strategy strategy) throws Exception {
        for (var way : Delivery.values()) {
            try (var scope = Scopes.on(strategy)) {
                var topics = Topics.<Integer>open(scope, "all", options(way).keepingLast());
                topics.publish("a", 1);
                topics.publish("a", 2);
                topics.publish("b", 3);
                topics.topic("c");
                var exact = new ConcurrentLinkedQueue<Integer>();
                var pattern = new ConcurrentLinkedQueue<String>();
                var toActor = new ConcurrentLinkedQueue<Integer>();
                var actor = scope.anonymous().newActor((Integer n) -> toActor.add(n));
                var last = SubscriberOptions.defaults().withLast();
                var subscription = topics.topic("a").subscribe(last, exact::add);
                topics.topic("c").subscribe(last, exact::add);
                topics.subscribe("*", last, (topic, n) -> pattern.add(topic + n));
                topics.subscribe("b", last, actor);
                topics.close();
                actor.close();
                assertThat(exact).as("%s", way).containsExactly(2);
                assertThat(pattern).containsExactly("a2", "b3");
                assertThat(toActor).containsExactly(3);
                assertThat(subscription.counters()).isEqualTo(new Counters(1, 0, 0, 0, 0, 0));
                assertThat(topics.counters()).isEqualTo(new Counters(4, 0, 0, 0, 0, 0));
            }
        }
    }

    @Promise("41.7")
    @Test
    void theLastMessageHasToBeKept() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "none", options(Delivery.PER_SUBSCRIBER));
            topic.publish(1);
            assertThat(topic.last()).isEmpty();
            assertThatThrownBy(() -> topic.subscribe(SubscriberOptions.named("late").withLast(), n -> {
            })).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'late'")
                    .hasMessageContaining("'none'").hasMessageContaining("keepingLast");
            assertThat(topic.subscribers()).isZero();
        }
    }

    @Promise("41.7")
    @Test
    void failuresOnLastMessagesAreOneReport() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            var topics = Topics.<Integer>open(scope, "all", options(Delivery.PER_SUBSCRIBER).keepingLast());
            topics.publish("a", 1);
            topics.publish("b", 2);
            topics.publish("c", 3);
            var subscription = topics.subscribe("*", SubscriberOptions.defaults().withLast(), (topic, n) -> {
                if (n < 3) {
                    throw new IllegalStateException(topic);
                }
            });
            topics.close();
            var failed = recorder.only(Failed.class);
            assertThat(failed.message()).contains(Integer.class);
            assertThat(failed.about()).contains("a");
            assertThat(failed.cause().getSuppressed()).hasSize(1);
            assertThat(subscription.counters()).isEqualTo(new Counters(1, 2, 0, 0, 0, 0));
        }
    }

    /** One publisher, and subscribers that come at any moment: each has the last message and all later ones, once. */
    @Promise({"41.7", "41.1"})
    @ParameterizedTest
    @EnumSource(Delivery.class)
    void noMessageIsMissingOrTwiceWhenPublishingRacesWithSubscribing(Delivery way) throws Exception {
        var wide = MailboxPolicy.bounded(100_000, OverflowPolicy.reject());
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topics = Topics.<Integer>open(scope, "race", options(way).withMailbox(wide).keepingLast());
            var topic = topics.topic("race.a");
            topic.publish(0);
            int most = 3_000;
            var seen = new ConcurrentLinkedQueue<ConcurrentLinkedQueue<Integer>>();
            Senders.run(3, sender -> {
                if (sender == 0) {
                    for (int i = 1; i <= most; i++) {
                        topic.publish(i);
                    }
                    return;
                }
                for (int i = 0; i < 30; i++) {
                    var mine = new ConcurrentLinkedQueue<Integer>();
                    seen.add(mine);
                    var last = SubscriberOptions.defaults().withLast();
                    if (sender == 1) {
                        topic.subscribe(last, mine::add);
                    } else {
                        topics.subscribe("race.*", last, (name, n) -> mine.add(n));
                    }
                }
            });
            topics.close();
            assertThat(seen).hasSize(60);
            for (var each : seen) {
                var numbers = List.copyOf(each);
                assertThat(numbers.getLast()).as("%s", way).isEqualTo(most);
                for (int i = 1; i < numbers.size(); i++) {
                    assertThat(numbers.get(i)).isEqualTo(numbers.get(i - 1) + 1);
                }
            }
        }
    }
}
