package io.fibry.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.OverflowPolicy;
import io.fibry.event.Failed;
import io.fibry.function.ReplyHandler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowPublisherTest {
    private static final int COUNT = 1_000;
    private static final List<Integer> ALL = IntStream.range(0, COUNT).boxed().toList();

    private static FlowPublisher<Integer> numbers(ActorScope scope, FlowOptions options,
            CountDownLatch ended) {
        return Flows.publisher(scope, "numbers", options, output -> {
            try {
                for (int i = 0; output.isWanted(); i++) {
                    output.yield(i);
                }
            } finally {
                ended.countDown();
            }
        });
    }

    private static FlowOptions on(Strategy strategy, int capacity) {
        var create = strategy.create();
        return FlowOptions.capacity(capacity).withActors(actor -> actor.strategy(create));
    }

    @EveryStrategy
    @Promise("43.1")
    void valuesComeAsTheyAreRequested(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy);
                var publisher = Flows.publisher(scope, "numbers", on(strategy, 7), ALL)) {
            var all = Taker.<Integer>ofAll();
            var one = new Taker<Integer>(1) {
                @Override
                void got(Integer value) {
                    subscription.join().request(1);
                }
            };
            var few = new Taker<Integer>(3);
            publisher.subscribe(all);
            publisher.subscribe(one);
            publisher.subscribe(few);
            assertThat(all.failure()).isNull();
            assertThat(all.values).isEqualTo(ALL);
            assertThat(one.failure()).isNull();
            assertThat(one.values).isEqualTo(ALL);
            Waits.until("three values", () -> few.values.size() == 3);
            few.subscription().request(Long.MAX_VALUE - 1);
            few.subscription().request(Long.MAX_VALUE - 1);
            assertThat(few.failure()).isNull();
            assertThat(few.values).isEqualTo(ALL);
        }
    }

    @EveryStrategy
    @Promise("43.1")
    void lessThanOneIsNoRequest(Strategy strategy) throws Exception {
        var ended = new CountDownLatch(2);
        try (var scope = Scopes.on(strategy); var publisher = numbers(scope, on(strategy, 2), ended)) {
            for (long wrong : new long[]{0, -1}) {
                var taker = new Taker<Integer>(0);
                publisher.subscribe(taker);
                taker.subscription().request(wrong);
                assertThat(taker.failure()).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("numbers").hasMessageContaining("" + wrong);
                taker.subscription().request(1);
                assertThat(taker.values).isEmpty();
            }
            Waits.on(ended);
            Waits.until("no subscription", () -> publisher.subscriptions() == 0);
        }
    }

    @EveryStrategy
    @Promise("43.1")
    void manyThreadsRequest(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy);
                var publisher = Flows.publisher(scope, "numbers", on(strategy, 16), ALL)) {
            var taker = new Taker<Integer>(0);
            publisher.subscribe(taker);
            var subscription = taker.subscription();
            Senders.run(4, sender -> {
                for (int i = 0; i < COUNT / 4; i++) {
                    subscription.request(1);
                }
            });
            assertThat(taker.failure()).isNull();
            assertThat(taker.values).isEqualTo(ALL);
        }
    }

    /** Runs in onNext of each value, on its stack if the recursion is not cut. */
    @EveryStrategy
    @Promise("43.1")
    void requestsInsideOnNextDoNotRecur(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var depth = new AtomicInteger();
            var most = new AtomicInteger();
            var many = IntStream.range(0, 20_000).boxed().toList();
            var taker = new Taker<Integer>(1) {
                @Override
                void got(Integer value) {
                    most.accumulateAndGet(depth.incrementAndGet(), Math::max);
                    subscription.join().request(1);
                    depth.decrementAndGet();
                }
            };
            try (var publisher = Flows.publisher(scope, "numbers", on(strategy, 64), many)) {
                publisher.subscribe(taker);
                assertThat(taker.failure()).isNull();
            }
            assertThat(taker.values).isEqualTo(many);
            assertThat(most).hasValue(1);
        }
    }

    private static Taker<Integer> throwing(String where) {
        return new Taker<>(2) {
            private void fail(String here) {
                if (here.equals(where)) {
                    throw new IllegalStateException("as wanted in " + where);
                }
            }

            @Override
            void begun(Flow.Subscription made) {
                fail("onSubscribe");
            }

            @Override
            void got(Integer value) {
                fail("onNext");
                if (!where.equals("onNext") && values.size() == 2) {
                    subscription.join().request(where.equals("onError") ? 0 : COUNT);
                }
            }

            @Override
            void over() {
                fail(where.equals("onNext") ? "never" : where);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"onSubscribe", "onNext", "onError", "onComplete"})
    @Promise("43.4")
    void aSubscriberThatThrowsIsCancelledAndReportedOnce(String where) throws Exception {
        for (var strategy : Strategy.values()) {
            var recorder = new Recorder();
            var ended = new CountDownLatch(1);
            try (var scope = Scopes.on(strategy, recorder)) {
                try (var publisher = Flows.<Integer>publisher(scope, "numbers", on(strategy, 2), output -> {
                    try {
                        ALL.forEach(output::yield);
                    } finally {
                        ended.countDown();
                    }
                })) {
                    var other = Taker.<Integer>ofAll();
                    publisher.subscribe(throwing(where));
                    Waits.on(ended);
                    assertThat(recorder.await(Failed.class).cause()).hasMessage("as wanted in " + where);
                    publisher.subscribe(other);
                    assertThat(other.failure()).isNull();
                    assertThat(other.values).isEqualTo(ALL);
                    Waits.until("no subscription", () -> publisher.subscriptions() == 0);
                }
            }
            recorder.only(Failed.class);
        }
    }

    @EveryStrategy
    @Promise("43.5")
    void aCancelledSubscriberGetsNothingMoreAndItsProducerEnds(Strategy strategy) throws Exception {
        var ended = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy); var publisher = numbers(scope, on(strategy, 8), ended)) {
            var taker = new Taker<Integer>(Long.MAX_VALUE) {
                @Override
                void got(Integer value) {
                    if (value == 100) {
                        subscription.join().cancel();
                        subscription.join().request(5);
                    }
                }
            };
            publisher.subscribe(taker);
            Waits.on(ended);
            Waits.until("no subscription", () -> publisher.subscriptions() == 0);
            assertThat(taker.values).isEqualTo(IntStream.rangeClosed(0, 100).boxed().toList());
            assertThat(taker.end).isNotDone();
            taker.check();
            taker.subscription().cancel();
            taker.subscription().request(-1);
        }
    }

    @Test
    @Promise("43.5")
    void aPublisherForgetsASubscriberThatHasCancelled() throws Exception {
        try (var scope = Scopes.configure().open();
                var publisher = Flows.publisher(scope, "numbers", FlowOptions.usual(), ALL)) {
            var taker = new Taker<Integer>(1);
            publisher.subscribe(taker);
            var subscription = taker.subscription();
            subscription.cancel();
            Waits.until("no subscription", () -> publisher.subscriptions() == 0);
            var gone = new WeakReference<>(taker);
            taker = null;
            Garbage.is(gone);
            subscription.request(1);
        }
    }

    @EveryStrategy
    @Promise("43.4")
    void theFailureOfAProducerComesAfterItsValues(Strategy strategy) throws Exception {
        var failure = new IOException("as wanted");
        try (var scope = Scopes.on(strategy);
                var publisher = Flows.<Integer>publisher(scope, "numbers", on(strategy, 5), output -> {
                    ALL.forEach(output::yield);
                    throw failure;
                })) {
            var taker = Taker.<Integer>ofAll();
            publisher.subscribe(taker);
            assertThat(taker.failure()).isSameAs(failure);
            assertThat(taker.values).isEqualTo(ALL);
            assertThatThrownBy(() -> publisher.subscribe(null)).isInstanceOf(NullPointerException.class);
        }
    }

    private record Source(AtomicReference<FlowSink<Integer>> sink,
            AtomicInteger closed) implements ReplyHandler<FlowSink<Integer>, AutoCloseable> {
        Source() {
            this(new AtomicReference<>(), new AtomicInteger());
        }

        @Override
        public AutoCloseable handle(FlowSink<Integer> made) {
            sink.set(made);
            return closed::incrementAndGet;
        }
    }

    private static void overflow(OverflowPolicy policy, List<Boolean> accepted, Consumer<Taker<Integer>> then)
            throws Exception {
        var source = new Source();
        try (var scope = Scopes.configure().open();
                var publisher = Flows.connected(scope, "pushed", FlowOptions.capacity(2).withOverflow(policy),
                        source)) {
            var taker = new Taker<Integer>(0);
            publisher.subscribe(taker);
            taker.subscription();
            var taken = new ArrayList<Boolean>();
            for (int i = 0; i < 4; i++) {
                taken.add(source.sink.get().offer(i));
            }
            source.sink.get().complete();
            taker.subscription().request(10);
            taker.failure();
            assertThat(taken).isEqualTo(accepted);
            then.accept(taker);
            assertThat(source.sink.get().offer(9)).isFalse();
            assertThat(source.sink.get().isWanted()).isFalse();
            assertThat(source.closed).hasValue(1);
        }
    }

    @Test
    @Promise("43.7")
    void whatIsPushedMeetsThePolicyOfItsSubscriber() throws Exception {
        overflow(OverflowPolicy.dropNewest(), List.of(true, true, false, false),
                taker -> assertThat(taker.values).containsExactly(0, 1));
        overflow(OverflowPolicy.reject(), List.of(true, true, false, false),
                taker -> assertThat(taker.values).containsExactly(0, 1));
        overflow(OverflowPolicy.dropOldest(), List.of(true, true, true, true),
                taker -> assertThat(taker.values).containsExactly(2, 3));
        overflow(OverflowPolicy.fail(), List.of(true, true, false, false), taker -> {
            assertThat(taker.values).containsExactly(0, 1);
            assertThat(taker.end.join()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("pushed")
                    .hasMessageContaining("too slow");
        });
    }

    @EveryStrategy
    @Promise("43.7")
    void aThreadThatPushesWaitsForRoom(Strategy strategy) throws Exception {
        var source = new Source();
        try (var scope = Scopes.on(strategy);
                var publisher = Flows.connected(scope, "pushed", on(strategy, 3), source)) {
            var taker = new Taker<Integer>(0);
            publisher.subscribe(taker);
            var subscription = taker.subscription();
            var senders = Senders.start(2, sender -> {
                for (int i = 0; i < COUNT / 2; i++) {
                    assertThat(source.sink.get().offer(i)).isTrue();
                }
            });
            for (int i = 0; i < COUNT; i++) {
                subscription.request(1);
            }
            senders.join();
            Waits.until("all values", () -> taker.values.size() == COUNT);
            var waits = new CountDownLatch(1);
            var waiting = Thread.startVirtualThread(() -> {
                for (int i = 0; i < 4; i++) {
                    source.sink.get().offer(i);
                }
                waits.countDown();
            });
            Waits.parked(waiting);
            subscription.cancel();
            Waits.on(waits);
            Waits.until("the source is disconnected", () -> source.closed.get() == 1);
        }
    }

    @EveryStrategy
    @Promise("43.5")
    void theEndOfTheScopeEndsEachSubscription(Strategy strategy) throws Exception {
        var ended = new CountDownLatch(2);
        var fast = new Taker<Integer>(10);
        var slow = new Taker<Integer>(0);
        FlowPublisher<Integer> publisher;
        try (var scope = Scopes.on(strategy)) {
            publisher = numbers(scope, on(strategy, 20), ended);
            publisher.subscribe(fast);
            publisher.subscribe(slow);
            Waits.until("ten values", () -> fast.values.size() == 10);
            slow.subscription();
        }
        assertThat(fast.failure()).isInstanceOf(ActorStoppedException.class).hasMessageContaining("numbers");
        assertThat(slow.failure()).isInstanceOf(ActorStoppedException.class);
        assertThat(slow.values).isEmpty();
        Waits.on(ended);
        var late = Taker.<Integer>ofAll();
        publisher.subscribe(late);
        assertThat(late.failure()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThat(publisher.subscriptions()).isZero();
    }

    @Test
    @Promise("43.5")
    void aThousandSubscriptionsThatAreCancelledLeaveNothing() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var ended = new CountDownLatch(1_000);
            var publisher = numbers(scope, FlowOptions.capacity(4), ended);
            var takers = new ArrayList<Taker<Integer>>();
            for (int i = 0; i < 1_000; i++) {
                var taker = new Taker<Integer>(i % 7);
                takers.add(taker);
                publisher.subscribe(taker);
            }
            for (var taker : takers) {
                taker.subscription().cancel();
            }
            Waits.on(ended);
            Waits.until("no subscription", () -> publisher.subscriptions() == 0);
            takers.forEach(Taker::check);
            publisher.close();
            assertThat(Waits.on(publisher.onStopped()).stopped()).isTrue();
        }
    }
}
