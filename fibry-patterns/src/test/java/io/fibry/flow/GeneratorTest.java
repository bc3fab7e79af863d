package io.fibry.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorException;
import io.fibry.ActorInterruptedException;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.event.Failed;
import io.fibry.function.Handler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GeneratorTest {
    private static final int COUNT = 1_000;

    private static FlowOptions on(Strategy strategy, int capacity) {
        var create = strategy.create();
        return FlowOptions.capacity(capacity).withActors(actor -> actor.strategy(create));
    }

    /** Yields for ever, and tells when it has ended. */
    private static Handler<GeneratorOutput<Integer>> endless(AtomicInteger yielded, CountDownLatch ended) {
        return output -> {
            try {
                while (true) {
                    output.yield(yielded.get());
                    yielded.incrementAndGet();
                }
            } finally {
                ended.countDown();
            }
        };
    }

    @EveryStrategy
    @Promise("44.1")
    void anOutputThatIsKeptTakesNoValueThatWouldBeLost(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var kept = new CompletableFuture<GeneratorOutput<Integer>>();
            try (var generator = Generator.<Integer>open(scope, "numbers", on(strategy, 4), output -> {
                output.yield(1);
                kept.complete(output);
            })) {
                assertThat(generator.stream().toList()).containsExactly(1);
                generator.onStopped().get();
                var output = Waits.on(kept);
                assertThatThrownBy(() -> output.yield(2)).isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("'numbers'", "has ended");
                assertThat(output.isWanted()).isFalse();
            }
        }
    }

    @EveryStrategy
    @Promise("44.1")
    void valuesComeInOrder(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            for (int capacity : new int[]{1, 2, 3, 256}) {
                var values = new ArrayList<Integer>();
                var generator = Generator.<Integer>open(scope, "numbers", on(strategy, capacity), output -> {
                    for (int i = 0; i < COUNT; i++) {
                        output.yield(i);
                    }
                });
                generator.forEachRemaining(values::add);
                assertThat(values).isEqualTo(IntStream.range(0, COUNT).boxed().toList());
                assertThat(generator.hasNext()).isFalse();
                assertThatThrownBy(generator::next).isInstanceOf(NoSuchElementException.class)
                        .hasMessageContaining("numbers");
            }
        }
    }

    @EveryStrategy
    @Promise("44.1")
    void noMoreValuesWaitThanTheCapacity(Strategy strategy) throws Exception {
        for (int capacity : new int[]{1, 2, 5}) {
            var yielded = new AtomicInteger();
            try (var scope = Scopes.on(strategy);
                    var generator = Generator.open(scope, "numbers", on(strategy, capacity),
                            endless(yielded, new CountDownLatch(1)))) {
                for (int taken = 0; taken < 20; taken++) {
                    var most = taken + capacity;
                    // The last one that fits may still be on its way.
                    Waits.until("the producer runs ahead",
                            () -> yielded.get() > most - Math.max(1, capacity / 2));
                    assertThat(yielded.get()).isLessThanOrEqualTo(most);
                    assertThat(generator.next()).isEqualTo(taken);
                }
            }
        }
    }

    @EveryStrategy
    @Promise("44.1")
    void severalProducersAreMerged(Strategy strategy) {
        var producers =
                IntStream.range(0, 2).<Handler<GeneratorOutput<int[]>>>mapToObj(producer -> output -> {
                    for (int i = 0; i < COUNT; i++) {
                        output.yield(new int[]{producer, i});
                    }
                }).toList();
        try (var scope = Scopes.on(strategy);
                var generator = Generator.open(scope, "numbers", on(strategy, 3), producers)) {
            var next = new int[2];
            generator.stream().forEach(value -> assertThat(value[1]).isEqualTo(next[value[0]]++));
            assertThat(next).containsOnly(COUNT);
            assertThat(generator.onStopped()).succeedsWithin(Patience.LIMIT);
        }
        try (var scope = Scopes.on(strategy)) {
            assertThatThrownBy(() -> Generator.open(scope, "numbers", FlowOptions.capacity(1), producers))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("2 producers");
        }
    }

    @EveryStrategy
    @Promise("44.1")
    void theConsumerGetsTheFailureAfterTheValues(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        var ended = new CountDownLatch(1);
        var unchecked = new IllegalArgumentException("as wanted");
        var checked = new IOException("as wanted, too");
        try (var scope = Scopes.on(strategy, recorder)) {
            var first = Generator.<Integer>open(scope, "first", on(strategy, 2), output -> {
                output.yield(1);
                output.yield(2);
                throw unchecked;
            });
            assertThat(List.of(first.next(), first.next())).containsExactly(1, 2);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(first::hasNext).isSameAs(unchecked);
            }
            var second = Generator.<Integer>open(scope, "second", on(strategy, 4),
                    List.of(endless(new AtomicInteger(), ended), output -> {
                        throw checked;
                    }));
            assertThatThrownBy(() -> second.forEachRemaining(value -> {
            })).isInstanceOf(ActorException.class).hasCause(checked).hasMessageContaining("second");
            Waits.on(ended);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @EveryStrategy
    @Promise("44.3")
    void aClosedGeneratorEndsItsProducers(Strategy strategy) throws Exception {
        var ended = new CountDownLatch(2);
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var works = new CountDownLatch(1);
            var generator = Generator.<Integer>open(scope, "numbers", on(strategy, 4),
                    List.of(endless(new AtomicInteger(), ended), output -> {
                        try {
                            output.yield(1);
                            works.countDown();
                            new CountDownLatch(1).await();
                        } finally {
                            ended.countDown();
                        }
                    }));
            try (var stream = generator.stream()) {
                assertThat(stream.limit(3).toList()).hasSize(3);
                Waits.on(works);
            }
            assertThat(ended.getCount()).isZero();
            assertThat(generator.hasNext()).isFalse();
            assertThat(Waits.on(generator.onStopped()).stopped()).isTrue();
            assertThat(generator.stop(Duration.ZERO).stopped()).isTrue();
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("44.3")
    void aProducerThatFailsAfterTheCloseIsReported() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.configure().listener(recorder).open()) {
            var begun = new CountDownLatch(1);
            var close = new CountDownLatch(1);
            var generator = Generator.<Integer>open(scope, "numbers", FlowOptions.usual(), output -> {
                begun.countDown();
                close.await();
                assertThat(output.isWanted()).isFalse();
                throw new IllegalStateException("as wanted");
            });
            Waits.on(begun);
            var closing = Thread.startVirtualThread(() -> generator.stop(Duration.ofSeconds(10)));
            assertThat(generator.hasNext()).isFalse();
            close.countDown();
            Waits.on(closing);
        }
        assertThat(recorder.only(Failed.class).cause()).hasMessage("as wanted");
    }

    @Test
    @Promise("44.3")
    void aForgottenGeneratorEndsItsProducer() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var ended = new CountDownLatch(2);
            var generator = Generator.open(scope, "numbers", FlowOptions.usual(),
                    endless(new AtomicInteger(), ended));
            var stream = Generator
                    .open(scope, "more", FlowOptions.usual(), endless(new AtomicInteger(), ended)).stream();
            assertThat(stream.limit(5).count()).isEqualTo(5);
            generator.next();
            var gone = new WeakReference<>(generator);
            stream = null;
            generator = null;
            Garbage.is(gone);
            Waits.on(ended);
        }
    }

    @EveryStrategy
    @Promise("44.3")
    void theEndOfTheScopeEndsAGenerator(Strategy strategy) throws Exception {
        var ended = new CountDownLatch(1);
        var yielded = new AtomicInteger();
        var create = strategy.create();
        // A close that waited for its time-out would not come to its end in this test.
        var scope = ActorSystem.configure("test").closeTimeout(Duration.ofDays(1)).strategy(create).open();
        var generator = Generator.open(scope, "numbers",
                FlowOptions.capacity(4).withActors(actor -> actor.strategy(create)),
                endless(yielded, ended));
        Waits.until("four values wait", () -> yielded.get() == 4);
        Waits.on(Thread.startVirtualThread(scope::close));
        Waits.on(ended);
        var left = new ArrayList<Integer>();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> generator.forEachRemaining(left::add))
                    .isInstanceOf(ActorStoppedException.class)
                    .hasMessageContaining("numbers");
        }
        assertThat(left).containsExactly(0, 1, 2, 3);
        var closed = Scopes.on(strategy);
        closed.close();
        assertThatThrownBy(() -> Generator.open(closed, "numbers", FlowOptions.usual(),
                endless(new AtomicInteger(), ended))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Promise("44.3")
    void aConsumerThatIsInterruptedCanGoOn() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var go = new CountDownLatch(1);
            var generator = Generator.<Integer>open(scope, "numbers", FlowOptions.usual(), output -> {
                go.await();
                output.yield(7);
            });
            var result = new CompletableFuture<Integer>();
            var consumer = Thread.startVirtualThread(() -> {
                try {
                    generator.next();
                } catch (ActorInterruptedException e) {
                    if (Thread.interrupted()) {
                        go.countDown();
                        result.complete(generator.next());
                    }
                }
            });
            Waits.parked(consumer);
            consumer.interrupt();
            assertThat(Waits.on(result)).isEqualTo(7);
        }
    }

    @Test
    @Promise("44.1")
    void nullIsNoValue() {
        try (var scope = Scopes.configure().open();
                var generator = Generator.<Integer>open(scope, "numbers", FlowOptions.usual(),
                        output -> output.yield(null))) {
            assertThatThrownBy(generator::next).isInstanceOf(NullPointerException.class);
        }
        assertThatThrownBy(() -> FlowOptions.capacity(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0");
    }

    @Test
    @Promise("44.3")
    void aThousandGeneratorsThatAreClosedLeaveNothing() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var ended = new CountDownLatch(1_000);
            for (int i = 0; i < 1_000; i++) {
                try (var generator = Generator.open(scope, "numbers", FlowOptions.capacity(1 + i % 5),
                        endless(new AtomicInteger(), ended))) {
                    generator.next();
                }
            }
            Waits.on(ended);
        }
    }
}
