package io.fibry.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorStoppedException;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

class FlowActorTest {
    private static final List<Integer> ALL = IntStream.range(0, 500).boxed().toList();

    /** The handler waits for room, and on caller() that is a wait of the thread that is to request. */
    private static FlowOptions on(Strategy strategy, int capacity) {
        if (!strategy.isAsync()) {
            return FlowOptions.capacity(capacity);
        }
        var create = strategy.create();
        return FlowOptions.capacity(capacity).withActors(actor -> actor.strategy(create));
    }

    @EveryStrategy
    @Promise("43.12")
    void itPublishesWhatItsHandlerYields(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy);
                var actor =
                        FlowActor.<Integer, String>open(scope, "texts", on(strategy, 8), (number, output) -> {
                            if (number % 2 == 0) {
                                output.yield("" + number);
                                output.yield("again " + number);
                            }
                        })) {
            actor.sendMessage(-2);
            Waits.until("no subscriber gets it", () -> actor.counters().handled() == 1);
            var first = Taker.<String>ofAll();
            var second = Taker.<String>ofAll();
            actor.subscribe(first);
            actor.subscribe(second);
            first.subscription();
            second.subscription();
            Waits.until("two subscriptions", () -> actor.subscriptions() == 2);
            ALL.forEach(actor::sendMessage);
            actor.complete();
            assertThat(first.failure()).isNull();
            assertThat(second.failure()).isNull();
            assertThat(first.values).hasSize(500).startsWith("0", "again 0", "2").isEqualTo(second.values);
            var late = Taker.<String>ofAll();
            actor.subscribe(late);
            assertThat(late.failure()).isNull();
            assertThat(Waits.on(actor.onStopped()).stopped()).isTrue();
        }
    }

    @EveryStrategy
    @Promise("43.12")
    void itStandsBetweenAPublisherAndItsSubscribers(Strategy strategy) throws Exception {
        var yielded = new AtomicInteger();
        var failure = new IOException("as wanted");
        try (var scope = Scopes.on(strategy);
                var source = Flows.<Integer>publisher(scope, "numbers", FlowOptions.capacity(2), output -> {
                    for (var value : ALL) {
                        output.yield(value);
                        yielded.incrementAndGet();
                    }
                    throw failure;
                });
                var actor = FlowActor.<Integer, Integer>open(scope, "doubles", on(strategy, 4),
                        (number, output) -> output.yield(2 * number))) {
            source.subscribe(actor);
            Waits.until("it waits for a subscriber", () -> source.subscriptions() == 1);
            assertThat(actor.counters().total()).isZero();
            var taker = new Taker<Integer>(10);
            actor.subscribe(taker);
            Waits.until("ten values", () -> taker.values.size() == 10);
            assertThat(yielded.get()).isLessThan(40);
            taker.subscription().request(Long.MAX_VALUE);
            assertThat(taker.failure()).isSameAs(failure);
            assertThat(taker.values).isEqualTo(ALL.stream().map(value -> 2 * value).toList());
        }
    }

    @EveryStrategy
    @Promise("43.12")
    void itsEndIsTheEndForItsSubscribers(Strategy strategy) throws Exception {
        var ended = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy);
                var source = Flows.<Integer>publisher(scope, "numbers", FlowOptions.capacity(2), output -> {
                    try {
                        while (true) {
                            output.yield(1);
                        }
                    } finally {
                        ended.countDown();
                    }
                })) {
            var taker = new Taker<Integer>(5);
            var actor = FlowActor.<Integer, Integer>open(scope, "same", on(strategy, 4),
                    (number, output) -> output.yield(number));
            actor.subscribe(taker);
            source.subscribe(actor);
            Waits.until("five values", () -> taker.values.size() == 5);
            actor.close();
            assertThat(taker.failure()).isInstanceOf(ActorStoppedException.class);
            Waits.on(ended);
        }
    }
}
