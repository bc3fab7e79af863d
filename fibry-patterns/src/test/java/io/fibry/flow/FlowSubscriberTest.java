package io.fibry.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorException;
import io.fibry.ActorStoppedException;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FlowSubscriberTest {
    private static final List<Integer> ALL = IntStream.range(0, 1_000).boxed().toList();

    private static void handlesAll(Strategy strategy, boolean own) throws Exception {
        var got = new CopyOnWriteArrayList<Integer>();
        try (var scope = Scopes.on(strategy);
                var publisher = Flows.publisher(scope, "numbers", FlowOptions.capacity(16), ALL)) {
            var subscriber =
                    own ? FlowSubscriber.<Integer>open(scope, "taker", FlowOptions.capacity(4), got::add)
                            : FlowSubscriber.<Integer>of(
                                    scope.anonymous().newActor((Integer value) -> got.add(value)),
                                    FlowOptions.capacity(4));
            publisher.subscribe(subscriber);
            Waits.on(subscriber.onEnd());
            assertThat(got).isEqualTo(ALL);
            assertThat(Waits.on(subscriber.onStopped()).stopped()).isTrue();
            assertThat(own ? subscriber.counters().handled() : ALL.size()).isEqualTo(ALL.size());
        }
    }

    @EveryStrategy
    @Promise("43.9")
    void anActorOfItsOwnHandlesAllValues(Strategy strategy) throws Exception {
        handlesAll(strategy, true);
    }

    @EveryStrategy
    @Promise("43.9")
    void anActorOfTheProgramHandlesAllValues(Strategy strategy) throws Exception {
        handlesAll(strategy, false);
    }

    @Test
    @Promise("43.9")
    void noMoreIsRequestedThanThereIsRoomFor() throws Exception {
        try (var scope = Scopes.configure().open()) {
            for (boolean own : new boolean[]{true, false}) {
                var permits = new java.util.concurrent.Semaphore(0);
                var handled = new AtomicInteger();
                io.fibry.function.Handler<Integer> handler = value -> {
                    permits.acquire();
                    handled.incrementAndGet();
                };
                var subscriber = own ? FlowSubscriber.open(scope, "taker", FlowOptions.capacity(4), handler)
                        : FlowSubscriber.of(scope.anonymous().newActor(handler), FlowOptions.capacity(4));
                var asked = new Asked();
                subscriber.onSubscribe(asked);
                int sent = 0;
                for (int round = 0; round < 50; round++) {
                    while (sent < asked.requested.get()) {
                        subscriber.onNext(sent++);
                    }
                    permits.release();
                    var now = round + 1;
                    Waits.until("a value is handled", () -> handled.get() == now);
                    assertThat(asked.requested.get()).isLessThanOrEqualTo(handled.get() + 4L);
                    var least = now / 2 * 2 + 2L;
                    Waits.until("demand is given back", () -> asked.requested.get() >= least);
                }
                permits.release(10);
                subscriber.onComplete();
                Waits.on(subscriber.onEnd());
                assertThat(asked.cancels).hasValue(0);
            }
        }
    }

    @EveryStrategy
    @Promise("43.9")
    void theFailureOfTheStreamComesAfterItsValues(Strategy strategy) throws Exception {
        var failure = new IOException("as wanted");
        var got = new CopyOnWriteArrayList<Integer>();
        try (var scope = Scopes.on(strategy);
                var publisher = Flows.<Integer>publisher(scope, "numbers", FlowOptions.usual(), output -> {
                    ALL.forEach(output::yield);
                    throw failure;
                })) {
            var subscriber = FlowSubscriber.<Integer>open(scope, "taker", FlowOptions.usual(), got::add);
            publisher.subscribe(subscriber);
            assertThat(Waits.failure(subscriber.onEnd())).isSameAs(failure);
            assertThat(got).isEqualTo(ALL);
        }
    }

    @EveryStrategy
    @Promise("43.9")
    void aHandlerThatFailsGoesOnOrEndsTheStream(Strategy strategy) throws Exception {
        var ended = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy);
                var publisher =
                        Flows.<Integer>publisher(scope, "numbers", FlowOptions.capacity(4), output -> {
                            try {
                                for (int i = 0;; i++) {
                                    output.yield(i);
                                }
                            } finally {
                                ended.countDown();
                            }
                        })) {
            var handled = new AtomicInteger();
            var subscriber = FlowSubscriber.<Integer>open(scope, "taker", FlowOptions.capacity(3)
                    .withActors(actor -> actor.onFailure(
                            FailurePolicy.when(IllegalStateException.class, FailurePolicy.stop()))),
                    value -> {
                        handled.incrementAndGet();
                        if (value == 50) {
                            throw new IllegalStateException("stop");
                        }
                        if (value % 7 == 0) {
                            throw new IllegalArgumentException("go on");
                        }
                    });
            publisher.subscribe(subscriber);
            assertThat(Waits.failure(subscriber.onEnd())).isInstanceOf(ActorStoppedException.class)
                    .hasMessageContaining("taker");
            Waits.on(ended);
            assertThat(handled).hasValue(51);
        }
    }

    @EveryStrategy
    @Promise("43.9")
    void aSubscriberThatIsClosedCancels(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (boolean own : new boolean[]{true, false}) {
                var got = new CopyOnWriteArrayList<Integer>();
                var asked = new Asked();
                var subscriber =
                        own ? FlowSubscriber.<Integer>open(scope, "taker", FlowOptions.capacity(4), got::add)
                                : FlowSubscriber.of(
                                        scope.anonymous().newActor((Integer value) -> got.add(value)),
                                        FlowOptions.capacity(4));
                subscriber.onSubscribe(asked);
                subscriber.onNext(1);
                subscriber.onNext(2);
                subscriber.stop(Duration.ofSeconds(10));
                subscriber.close();
                assertThat(asked.cancels).hasValue(1);
                assertThat(Waits.failure(subscriber.onEnd())).isInstanceOf(CancellationException.class);
                assertThat(got).containsExactly(1, 2);
                subscriber.onNext(3);
                subscriber.onComplete();
                subscriber.onSubscribe(asked);
                assertThat(asked.cancels).hasValue(2);
                assertThat(got).containsExactly(1, 2);
            }
        }
    }

    @Test
    @Promise("43.9")
    void anActorOfTheProgramThatStopsEndsTheStream() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var actor = scope.anonymous().newActor((Integer value) -> {
            });
            var asked = new Asked();
            var subscriber = FlowSubscriber.of(actor, FlowOptions.capacity(4));
            subscriber.onSubscribe(asked);
            actor.close();
            assertThat(Waits.failure(subscriber.onEnd())).isInstanceOf(ActorException.class);
            assertThat(asked.cancels).hasValue(1);

            var full = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropOldest()))
                    .newActor((Integer value) -> {
                    });
            var other = FlowSubscriber.of(full, FlowOptions.capacity(4));
            var askedToo = new Asked();
            other.onSubscribe(askedToo);
            try (var gate = Gate.in(full)) {
                other.onNext(1);
                other.onNext(2);
                assertThat(askedToo.cancels).hasValue(1);
                gate.open();
            }
            assertThat(Waits.failure(other.onEnd())).isInstanceOf(ActorException.class);
        }
    }

    @EveryStrategy
    @Promise("43.9")
    void aPublisherThatBreaksTheRulesIsCancelled(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var got = new CopyOnWriteArrayList<Integer>();
            var subscriber = FlowSubscriber.<Integer>open(scope, "taker", FlowOptions.capacity(1), value -> {
                got.add(value);
            });
            var early = FlowSubscriber.<Integer>open(scope, "early", FlowOptions.usual(), got::add);
            early.onNext(-1);
            assertThat(Waits.failure(early.onEnd())).isInstanceOf(IllegalStateException.class);

            var asked = new Flow.Subscription() {
                int cancels;

                @Override
                public void request(long n) {
                }

                @Override
                public void cancel() {
                    cancels++;
                }
            };
            subscriber.onSubscribe(asked);
            var sent = new ArrayList<Integer>();
            for (int i = 0; i < 10_000 && asked.cancels == 0; i++) {
                subscriber.onNext(i);
                sent.add(i);
                if (asked.cancels == 0 && strategy == Strategy.CALLER && i == 100) {
                    break; // It handles each value at once.
                }
            }
            subscriber.close();
            assertThat(Waits.failure(subscriber.onEnd())).isInstanceOfAny(IllegalStateException.class,
                    CancellationException.class);
            assertThat(asked.cancels).isOne();
            for (Runnable wrong : List.<Runnable>of(() -> subscriber.onNext(null),
                    () -> subscriber.onError(null),
                    () -> subscriber.onSubscribe(null))) {
                assertThatThrownBy(wrong::run).isInstanceOf(NullPointerException.class);
            }
        }
    }

    @Test
    @Promise("43.1")
    void publishersOfTheJdkFit() throws Exception {
        var got = new CopyOnWriteArrayList<Integer>();
        try (var scope = Scopes.configure().open()) {
            var publisher = new SubmissionPublisher<Integer>(Runnable::run, 8);
            var subscriber = FlowSubscriber.<Integer>open(scope, "taker", FlowOptions.capacity(4), got::add);
            publisher.subscribe(subscriber);
            ALL.forEach(publisher::submit);
            publisher.close();
            Waits.on(subscriber.onEnd());
            assertThat(got).isEqualTo(ALL);
        }
    }
}
