package io.fibry.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.event.Failed;
import io.fibry.flow.PipelineProgress.State;
import io.fibry.flow.StageOptions.OnFailure;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PipelineRunTest {
    private static final List<Integer> ALL = IntStream.range(0, 1_000).boxed().toList();

    private static void addsUp(PipelineProgress progress) {
        for (var stage : progress.stages()) {
            assertThat(stage.out() + stage.failed() + stage.cancelled() + stage.waiting() + stage.working())
                    .as("%s", stage).isEqualTo(stage.in());
        }
        for (int i = 1; i < progress.stages().size(); i++) {
            assertThat(progress.stages().get(i).in()).isEqualTo(progress.stages().get(i - 1).out());
        }
    }

    private static void isAtRest(PipelineProgress progress, State state) {
        addsUp(progress);
        assertThat(progress.state()).isEqualTo(state);
        assertThat(progress.stages()).allMatch(stage -> stage.waiting() == 0 && stage.working() == 0);
    }

    @EveryStrategy
    @Promise({"44.7", "44.8"})
    void valuesGoThroughAllStages(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (var options : List.of(StageOptions.usual(), StageOptions.usual().withCapacity(1),
                    StageOptions.parallel(4), StageOptions.parallel(3).withCapacity(1))) {
                var run = Flows.pipeline(scope, "numbers", ALL).then(value -> value * 2, options)
                        .then(String::valueOf, options).toList();
                assertThat(Waits.on(run.result()))
                        .isEqualTo(ALL.stream().map(value -> "" + value * 2).toList());
                isAtRest(run.progress(), State.COMPLETED);
                assertThat(run.progress().stages()).extracting(StageProgress::out).containsOnly(1_000L);
                assertThat(Waits.on(run.onStopped()).stopped()).isTrue();
            }
            var set = Flows.pipeline(scope, "numbers", ALL.iterator())
                    .then(value -> value, StageOptions.parallel(4).unordered())
                    .collect(Collectors.toSet());
            assertThat(Waits.on(set.result())).hasSize(1_000);
            var sum = new AtomicInteger();
            var each = Flows.pipeline(scope, "numbers", ALL.stream()).forEach(sum::addAndGet,
                    StageOptions.parallel(2));
            assertThat(Waits.on(each.result())).isEqualTo(1_000);
            assertThat(sum).hasValue(499_500);
        }
    }

    @EveryStrategy
    @Promise("44.7")
    void aSourceIsAPublisherOrAGenerator(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy);
                var publisher = Flows.publisher(scope, "published", FlowOptions.capacity(4), ALL)) {
            var first = Flows.pipeline(scope, "first", publisher).then(value -> value + 1).toList();
            var second = Flows.pipeline(scope, "second",
                    Generator.<Integer>open(scope, "generated", FlowOptions.capacity(4),
                            output -> ALL.forEach(output::yield)))
                    .then(value -> value + 1);
            var expected = ALL.stream().map(value -> value + 1).toList();
            assertThat(Waits.on(first.result())).isEqualTo(expected);
            assertThat(Waits.on(second.toList().result())).isEqualTo(expected);
            assertThatThrownBy(second::toList).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("second")
                    .hasMessageContaining("Iterable");
        }
    }

    @EveryStrategy
    @Promise("44.8")
    void aStageThatAsksForNothingIsCalledOnTheThreadOfTheStageBefore(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var threads = new ConcurrentHashMap<Integer, Thread>();
            var actors = ConcurrentHashMap.<String>newKeySet();
            var run = Flows.pipeline(scope, "numbers", ALL).then(value -> {
                threads.put(value, Thread.currentThread());
                return value;
            }).then(value -> threads.get(value) == Thread.currentThread())
                    .then(value -> {
                        actors.add(ActorSystem.currentActor().orElseThrow());
                        return value;
                    }, StageOptions.usual().withCapacity(4).withName("apart")).toList();
            assertThat(Waits.on(run.result())).hasSize(1_000).containsOnly(true);
            assertThat(actors).hasSize(1).allMatch(name -> name.contains("apart"));
        }
    }

    /** Each of the stages is called by one actor; the progress tells of each, also while a value is in it. */
    @EveryStrategy
    @Promise({"44.10", "44.11"})
    void stagesThatOneActorCallsHaveProgressAndFailuresOfTheirOwn(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var inside = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var drop = StageOptions.usual().withOnFailure(OnFailure.DROP);
            var run = Flows.pipeline(scope, "numbers", ALL.subList(0, 10)).then(value -> {
                if (value % 2 == 0) {
                    throw new IOException("even");
                }
                return value;
            }, drop.withName("odd")).then(value -> {
                if (value == 5) {
                    inside.countDown();
                    go.await();
                    throw new IOException("five");
                }
                return value;
            }, drop.withName("not-five")).toList();
            Waits.on(inside);
            addsUp(run.progress());
            assertThat(run.progress().stages()).extracting(StageProgress::in).containsExactly(6L, 3L, 2L);
            assertThat(run.progress().stages()).extracting(StageProgress::working).containsExactly(0, 1, 0);
            go.countDown();
            assertThat(Waits.on(run.result())).containsExactly(1, 3, 7, 9);
            isAtRest(run.progress(), State.COMPLETED);
            assertThat(run.progress().stages()).extracting(StageProgress::failed).containsExactly(5L, 1L, 0L);
        }
        assertThat(recorder.of(Failed.class)).hasSize(6)
                .allMatch(failed -> failed.message().orElseThrow() == Integer.class)
                .extracting(failed -> failed.about().orElse("")).filteredOn(text -> text.contains("not-five"))
                .hasSize(1);
    }

    @Test
    @Promise("44.8")
    void aStageWorksOnNoMoreThanItsParallelism() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var go = new Semaphore(0);
            var inside = new AtomicInteger();
            var most = new AtomicInteger();
            var run = Flows.pipeline(scope, "numbers", ALL.subList(0, 30)).then(value -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                go.acquire();
                inside.decrementAndGet();
                return value;
            }, StageOptions.parallel(3)).toList();
            Waits.until("three at a time", () -> inside.get() == 3);
            addsUp(run.progress());
            assertThat(run.progress().stages().getFirst().working()).isEqualTo(3);
            go.release(30);
            assertThat(Waits.on(run.result())).isEqualTo(ALL.subList(0, 30));
            assertThat(most).hasValue(3);
        }
    }

    @Test
    @Promise("44.8")
    void orderIsKeptOrNotByChoice() throws Exception {
        try (var scope = Scopes.configure().open()) {
            for (boolean ordered : new boolean[]{true, false}) {
                var first = new CountDownLatch(1);
                var got = new CopyOnWriteArrayList<Integer>();
                var options = StageOptions.parallel(2);
                var run = Flows.pipeline(scope, "numbers", ALL.subList(0, 6)).then(value -> {
                    if (value == 0) {
                        first.await();
                    }
                    return value;
                }, ordered ? options : options.unordered()).forEach(got::add, StageOptions.usual());
                if (ordered) {
                    Waits.until("all wait for the first one",
                            () -> run.progress().stages().getFirst().working() == 6);
                    assertThat(got).isEmpty();
                } else {
                    Waits.until("all but the first one", () -> got.size() == 5);
                }
                first.countDown();
                assertThat(Waits.on(run.result())).isEqualTo(6);
                assertThat(got.getLast()).isEqualTo(ordered ? 5 : 0);
            }
        }
    }

    @Test
    @Promise("44.8")
    void aSlowStageHoldsTheOthersBack() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var read = new AtomicInteger();
            var go = new CountDownLatch(1);
            Iterable<Integer> source = () -> Stream.iterate(0, value -> value + 1).limit(1_000)
                    .peek(value -> read.incrementAndGet()).iterator();
            var run = Flows.pipeline(scope, "numbers", source)
                    .then(value -> value, StageOptions.usual().withCapacity(5))
                    .forEach(value -> go.await(), StageOptions.usual().withCapacity(3));
            Waits.until("the stages are full", () -> run.progress().stages().getFirst().waiting() >= 3
                    && run.progress().stages().getLast().waiting() == 3);
            addsUp(run.progress());
            assertThat(run.progress().state()).isEqualTo(State.RUNNING);
            assertThat(read.get()).isLessThanOrEqualTo(3 + 1 + 5);
            go.countDown();
            assertThat(Waits.on(run.result())).isEqualTo(1_000);
        }
    }

    @EveryStrategy
    @Promise("44.10")
    void theFirstFailureEndsThePipeline(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        var failure = new IOException("as wanted");
        try (var scope = Scopes.on(strategy, recorder)) {
            var closed = new AtomicBoolean();
            var run = Flows.pipeline(scope, "numbers", ALL.stream().onClose(() -> closed.set(true)))
                    .then(value -> {
                        if (value == 500) {
                            throw failure;
                        }
                        return value;
                    }, StageOptions.parallel(2)).toList();
            assertThat(Waits.failure(run.result())).isSameAs(failure);
            isAtRest(run.progress(), State.FAILED);
            assertThat(run.progress().stages().getFirst().failed()).isOne();
            assertThat(closed).isTrue();

            var source = Flows.pipeline(scope, "numbers", () -> new ArrayList<>(List.of(1, 2)) {
                private static final long serialVersionUID = 1L;
            }.stream().map(value -> {
                if (value == 2) {
                    throw new IllegalStateException("as wanted, too");
                }
                return value;
            }).iterator()).then(value -> value).toList();
            assertThat(Waits.failure(source.result())).hasMessage("as wanted, too");
            var none = Flows.pipeline(scope, "numbers", ALL).then(value -> null).toList();
            assertThat(Waits.failure(none.result())).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("stage-1").hasMessageContaining("numbers");
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    /** The actor of the source begins a run of its own with the first value, and with each 64th one. */
    @EveryStrategy
    @Promise({"44.10", "44.11"})
    void aPipelineMayEndWhileItsSourceMakesAnyOfItsValues(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            for (int last : List.of(0, 1, 63, 64, 65, 128)) {
                var started = new CompletableFuture<PipelineRun<?>>();
                var run = Flows.pipeline(scope, "numbers", ALL.stream().peek(value -> {
                    if (value == last) {
                        started.join().cancel();
                    }
                })).then(value -> value).toList();
                started.complete(run);
                assertThat(Waits.failure(run.result())).isInstanceOf(CancellationException.class);
                assertThat(Waits.on(run.onStopped()).stopped()).isTrue();
                isAtRest(run.progress(), State.CANCELLED);
            }
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @EveryStrategy
    @Promise("44.10")
    void aValueThatFailsIsDroppedByChoice(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var run = Flows.pipeline(scope, "numbers", ALL).then(value -> {
                if (value % 100 == 0) {
                    throw new IOException("as wanted");
                }
                return value;
            }, StageOptions.parallel(2).withOnFailure(OnFailure.DROP).withName("check")).toList();
            assertThat(Waits.on(run.result()))
                    .isEqualTo(ALL.stream().filter(value -> value % 100 != 0).toList());
            isAtRest(run.progress(), State.COMPLETED);
            assertThat(run.progress().stages().getFirst().failed()).isEqualTo(10);
            assertThat(run.progress().stages().getFirst().name()).isEqualTo("check");
        }
        assertThat(recorder.of(Failed.class)).hasSize(10);
    }

    @Test
    @Promise("44.11")
    void aValueIsGivenUpBetweenTwoStagesThatOneActorCalls() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var inside = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var later = new AtomicInteger();
            var run = Flows.pipeline(scope, "numbers", ALL).then(value -> {
                inside.countDown();
                go.await();
                return value;
            }).forEach(value -> later.incrementAndGet(), StageOptions.usual());
            Waits.on(inside);
            run.cancel();
            go.countDown();
            assertThat(Waits.failure(run.result())).isInstanceOf(CancellationException.class);
            isAtRest(run.progress(), State.CANCELLED);
            assertThat(run.progress().stages()).extracting(StageProgress::cancelled).containsExactly(1L, 0L);
            assertThat(later).hasValue(0);
        }
    }

    @EveryStrategy
    @Promise("44.11")
    void aCancelledPipelineLeavesNothingHalfDone(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var begun = new AtomicInteger();
            var done = new AtomicInteger();
            var some = new CountDownLatch(20);
            var endless = Stream.iterate(0, value -> value + 1);
            var run = Flows.pipeline(scope, "numbers", endless).then(value -> {
                begun.incrementAndGet();
                some.countDown();
                Thread.yield();
                done.incrementAndGet();
                return value;
            }, StageOptions.parallel(2)).then(value -> value).forEach(value -> {
            }, StageOptions.usual());
            Waits.on(some);
            addsUp(run.progress());
            run.cancel();
            assertThat(Waits.failure(run.result())).isInstanceOf(CancellationException.class)
                    .hasMessageContaining("numbers");
            isAtRest(run.progress(), State.CANCELLED);
            assertThat(done).hasValue(begun.get());
            var stages = run.progress().stages();
            assertThat(stages.getFirst().in())
                    .isEqualTo(stages.stream().mapToLong(StageProgress::cancelled).sum()
                            + stages.getLast().out());
            run.cancel();
            run.close();
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("44.11")
    void aStopInterruptsWhatDoesNotEnd() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var begun = new CountDownLatch(1);
            var interrupted = new CountDownLatch(1);
            var run = Flows.pipeline(scope, "numbers", ALL).then(value -> {
                Waits.untilInterrupted(begun, interrupted);
                return value;
            }).toList();
            Waits.on(begun);
            run.stop(Duration.ZERO);
            Waits.on(interrupted);
            assertThat(Waits.failure(run.result())).isInstanceOf(CancellationException.class);
            isAtRest(run.progress(), State.CANCELLED);
        }
    }

    @Test
    @Promise("44.11")
    void aThousandPipelinesThatAreCancelledLeaveNothing() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var runs = new ArrayList<PipelineRun<List<Integer>>>();
            for (int i = 0; i < 1_000; i++) {
                runs.add(Flows.pipeline(scope, "numbers", ALL)
                        .then(value -> value, StageOptions.parallel(1 + i % 3))
                        .toList());
                if (i % 2 == 0) {
                    runs.getLast().cancel();
                }
            }
            runs.forEach(PipelineRun::cancel);
            for (var run : runs) {
                Waits.on(run.result().handle((list, failure) -> true));
                addsUp(run.progress());
                assertThat(run.progress().stages())
                        .allMatch(stage -> stage.waiting() == 0 && stage.working() == 0);
            }
        }
    }

    @EveryStrategy
    @Promise("44.11")
    void theEndOfTheScopeLetsValuesThrough(Strategy strategy) throws Exception {
        var got = new CopyOnWriteArrayList<Integer>();
        PipelineRun<Long> run;
        var some = new CountDownLatch(20);
        try (var scope = Scopes.on(strategy)) {
            run = Flows.pipeline(scope, "numbers", Stream.iterate(0, value -> value + 1)).then(value -> {
                some.countDown();
                return value;
            }).forEach(got::add, StageOptions.usual());
            Waits.on(some);
        }
        assertThat(Waits.failure(run.result())).isInstanceOf(ActorStoppedException.class)
                .hasMessageContaining("numbers");
        isAtRest(run.progress(), State.FAILED);
        var in = run.progress().stages().getFirst().in();
        assertThat(got).isEqualTo(IntStream.range(0, (int) in).boxed().toList());
    }

    @EveryStrategy
    @Promise("44.7")
    void aPipelineIsAPublisher(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy);
                var publisher = Flows.pipeline(scope, "numbers", ALL)
                        .then(value -> value * 2, StageOptions.parallel(2))
                        .publisher()) {
            for (long first : new long[]{Long.MAX_VALUE, 1}) {
                var taker = new Taker<Integer>(first) {
                    @Override
                    void got(Integer value) {
                        if (first == 1) {
                            subscription.join().request(1);
                        }
                    }
                };
                publisher.subscribe(taker);
                assertThat(taker.failure()).isNull();
                assertThat(taker.values).isEqualTo(ALL.stream().map(value -> value * 2).toList());
            }
            var gone = new Taker<Integer>(3);
            publisher.subscribe(gone);
            Waits.until("three values", () -> gone.values.size() == 3);
            gone.subscription().cancel();
            Waits.until("no subscription", () -> publisher.subscriptions() == 0);
        }
        try (var scope = Scopes.on(strategy);
                var publisher = Flows.pipeline(scope, "numbers", ALL.iterator()).then(value -> {
                    if (value == 10) {
                        throw new IOException("as wanted");
                    }
                    return value;
                }).publisher()) {
            var taker = Taker.<Integer>ofAll();
            publisher.subscribe(taker);
            assertThat(taker.failure()).isInstanceOf(IOException.class);
            assertThat(taker.values).isEqualTo(ALL.subList(0, 10));
            var second = Taker.<Integer>ofAll();
            publisher.subscribe(second);
            assertThat(second.failure()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("once");
        }
    }

    @Test
    @Promise("44.7")
    void optionsAreChecked() {
        assertThatThrownBy(() -> StageOptions.parallel(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0");
        assertThatThrownBy(() -> StageOptions.usual().withCapacity(-1))
                .isInstanceOf(IllegalArgumentException.class);
        var scope = Scopes.configure().open();
        scope.close();
        assertThatThrownBy(() -> Flows.pipeline(scope, "numbers", ALL).toList())
                .isInstanceOf(IllegalStateException.class);
    }
}
