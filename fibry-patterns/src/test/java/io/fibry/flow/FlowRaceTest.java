package io.fibry.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;

/** Calls from several threads, and from inside of calls, while values are handed over. */
class FlowRaceTest {
    private static final List<Integer> ALL = IntStream.range(0, 200).boxed().toList();

    @EveryStrategy
    @Promise("43.5")
    void aSubscriberMayCancelInsideOnSubscribe(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy);
                var loop = Flows.publisher(scope, "numbers", FlowOptions.capacity(2), ALL);
                var pipeline = Flows.pipeline(scope, "pipeline", ALL).then(value -> value).publisher();
                var source = Flows.<Integer>connected(scope, "pushed", FlowOptions.capacity(2), sink -> {
                    sink.offer(1);
                    return sink::complete;
                })) {
            for (var publisher : List.of(loop, pipeline, source)) {
                var taker = new Taker<Integer>(5) {
                    @Override
                    void begun(Flow.Subscription made) {
                        made.request(1);
                        made.cancel();
                        made.request(0);
                    }
                };
                publisher.subscribe(taker);
                Waits.until("no subscription", () -> publisher.subscriptions() == 0);
                assertThat(taker.values).isEmpty();
                assertThat(taker.end).isNotDone();
                taker.check();
            }
        }
    }

    @EveryStrategy
    @Promise({"43.1", "43.5"})
    void callsOfASubscriptionMayRace(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder);
                var loop = Flows.publisher(scope, "numbers", FlowOptions.capacity(3), ALL);
                var pipeline =
                        Flows.pipeline(scope, "pipeline", ALL).then(value -> value, StageOptions.parallel(2))
                                .publisher()) {
            var takers = new ArrayList<Taker<Integer>>();
            for (int round = 0; round < 20; round++) {
                var last = round % 4;
                for (var publisher : List.of(loop, pipeline)) {
                    var taker = new Taker<Integer>(1);
                    takers.add(taker);
                    publisher.subscribe(taker);
                    var subscription = taker.subscription();
                    Senders.run(3, sender -> {
                        switch (sender) {
                            case 0 -> subscription.request(Long.MAX_VALUE);
                            case 1 -> ALL.forEach(value -> subscription.request(1));
                            default -> {
                                switch (last) {
                                    case 0 -> subscription.cancel();
                                    case 1 -> subscription.request(0);
                                    case 2 -> subscription.request(Long.MIN_VALUE);
                                    default -> subscription.request(Long.MAX_VALUE);
                                }
                            }
                        }
                    });
                    if (last == 3) {
                        assertThat(taker.failure()).isNull();
                        assertThat(taker.values).isEqualTo(ALL);
                    }
                }
            }
            Waits.until("no subscription", () -> loop.subscriptions() + pipeline.subscriptions() == 0);
            for (var taker : takers) {
                taker.check();
                assertThat(taker.values).isEqualTo(ALL.subList(0, taker.values.size()));
            }
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @EveryStrategy
    @Promise("43.5")
    void aPublisherMayBeClosedAtAnyTime(Strategy strategy) throws Exception {
        for (int round = 0; round < 10; round++) {
            var takers = new ArrayList<Taker<Integer>>();
            try (var scope = Scopes.on(strategy)) {
                var publisher =
                        round % 2 == 0 ? Flows.publisher(scope, "numbers", FlowOptions.capacity(3), ALL)
                                : Flows.pipeline(scope, "pipeline", ALL).then(value -> value).publisher();
                for (int i = 0; i < 5; i++) {
                    takers.add(Taker.ofAll());
                }
                Senders.run(2, sender -> {
                    if (sender == 0) {
                        takers.forEach(publisher::subscribe);
                    } else {
                        publisher.close();
                    }
                });
                for (var taker : takers) {
                    var failure = taker.failure();
                    assertThat(failure == null ? taker.values : taker.values.subList(0, 0))
                            .isEqualTo(failure == null ? ALL : List.of());
                }
                Waits.until("no subscription", () -> publisher.subscriptions() == 0);
            }
        }
    }
}
