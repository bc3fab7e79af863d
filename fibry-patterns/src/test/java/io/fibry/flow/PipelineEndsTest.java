package io.fibry.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.HandlerAbandonedException;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.Watchdog;
import io.fibry.event.Failed;
import io.fibry.event.Stuck;
import io.fibry.flow.PipelineProgress.State;
import io.fibry.flow.StageOptions.OnFailure;
import io.fibry.function.ReplyHandler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pipelines with unusual options, and pipelines that end in the middle of something. */
class PipelineEndsTest {
    private static final List<Integer> ALL = IntStream.range(0, 1_000).boxed().toList();
    /** When a handler that is stuck is abandoned. */
    private static final Duration LIMIT = Duration.ofSeconds(1);
    private static final Duration GRACE = Duration.ofMillis(1);

    /** An iterator that counts how often it is closed. */
    private record Closing(Iterator<Integer> values,
            AtomicInteger closed) implements Iterator<Integer>, AutoCloseable {
        Closing() {
            this(ALL.iterator(), new AtomicInteger());
        }

        @Override
        public boolean hasNext() {
            return values.hasNext();
        }

        @Override
        public Integer next() {
            return values.next();
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    /** Publishes what a test tells it to. */
    private static final class Outside implements Flow.Publisher<Integer> {
        final AtomicReference<Flow.Subscriber<? super Integer>> subscriber = new AtomicReference<>();
        final Asked asked = new Asked();

        @Override
        public void subscribe(Flow.Subscriber<? super Integer> made) {
            subscriber.set(made);
            made.onSubscribe(asked);
        }
    }

    @Test
    @Promise("44.8")
    void aCapacityHasABound() throws Exception {
        for (int wrong : new int[]{-2, -1, 1 << 30, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> StageOptions.usual().withCapacity(wrong))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("" + wrong);
            assertThatThrownBy(() -> StageOptions.parallel(wrong))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("" + wrong);
        }
        try (var scope = Scopes.configure().open();
                var publisher = Flows.publisher(scope, "published", FlowOptions.usual(), ALL)) {
            var most = StageOptions.usual().withCapacity(1 << 24);
            assertThat(Waits
                    .on(Flows.pipeline(scope, "numbers", ALL).then(value -> value, most).toList().result()))
                    .isEqualTo(ALL);
            assertThat(
                    Waits.on(Flows.pipeline(scope, "numbers", publisher).then(value -> value, most).toList()
                            .result()))
                    .isEqualTo(ALL);
        }
    }

    @Test
    @Promise("44.8")
    void theLastStageKeepsNothingThatIsDone() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var first = new CountDownLatch(1);
            var run = Flows.pipeline(scope, "numbers", ALL).forEach(value -> {
                if (value == 0) {
                    first.await();
                }
            }, StageOptions.parallel(2));
            Waits.until("all but the first one", () -> run.progress().stages().getFirst().in() == 1_000
                    && run.progress().stages().getFirst().waiting() == 0);
            Waits.until("one is left", () -> run.progress().stages().getFirst().working() == 1);
            assertThat(run.progress().stages().getFirst().out()).isEqualTo(999);
            first.countDown();
            assertThat(Waits.on(run.result())).isEqualTo(1_000);
        }
    }

    @EveryStrategy
    @Promise("44.7")
    void aSourceIsClosedOnce(Strategy strategy) throws Exception {
        var source = new Closing();
        var cancelled = new Closing();
        var failed = new Closing();
        var cut = new Closing();
        PipelineRun<List<Integer>> run;
        try (var scope = Scopes.on(strategy)) {
            Waits.on(Flows.pipeline(scope, "numbers", source).toList().result());
            try (var other = Flows.pipeline(scope, "numbers", cancelled).toList()) {
                other.cancel();
            }
            Waits.failure(Flows.pipeline(scope, "numbers", failed).then(value -> {
                throw new IOException("as wanted");
            }).toList().result());
            run = Flows.pipeline(scope, "numbers", cut).toList();
        }
        Waits.on(run.onStopped());
        for (var closing : List.of(source, cancelled, failed, cut)) {
            assertThat(closing.closed).hasValue(1);
        }
    }

    /** The keeper, the first actor of a pipeline, has ended before the pipeline knows it. */
    @Test
    @Promise("44.7")
    void aScopeThatIsClosedWhileAPipelineIsMadeClosesItsSource() throws Exception {
        var recorder = new Recorder();
        var source = new Closing();
        try (var scope = Scopes.configure().listener(recorder).open()) {
            var pipeline = Flows.pipeline(ClosingView.of(scope, ActorScope.class, scope), "numbers", source);
            assertThatThrownBy(pipeline::toList).isInstanceOf(IllegalStateException.class);
            assertThat(source.closed).hasValue(1);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    /** The scope is being closed, and a thread outside of it goes on publishing. */
    @Test
    @Promise("44.11")
    void valuesFromOutsideThatHaveComeInGoThrough() throws Exception {
        var outside = new Outside();
        var got = new CopyOnWriteArrayList<Integer>();
        var go = new CountDownLatch(1);
        var isClosing = new CountDownLatch(1);
        var cut = new CountDownLatch(1);
        PipelineRun<Long> run;
        Thread closing;
        try (var scope = Scopes.configure().open()) {
            // The scopes inside are stopped one after another, so this one holds the end of the pipeline up.
            scope.child("first").open().anonymous().stopPhase(-1).onExit(() -> {
                isClosing.countDown();
                cut.await();
            }).newActor((Integer none) -> {
            });
            run = Flows.pipeline(scope, "numbers", outside).then(value -> value).forEach(value -> {
                go.await();
                got.add(value);
            }, StageOptions.usual().withCapacity(4));
            Waits.until("the demand", () -> outside.asked.requested.get() >= 4);
            var subscriber = outside.subscriber.get();
            ALL.subList(0, 3).forEach(subscriber::onNext);
            Waits.until("they wait for the last stage",
                    () -> run.progress().stages().getFirst().out() == 3);
            closing = Thread.startVirtualThread(scope::close);
            Waits.on(isClosing);
            subscriber.onNext(3);
            assertThat(run.progress().state()).isEqualTo(State.RUNNING);
            cut.countDown();
            Waits.until("the end has begun", () -> outside.asked.cancels.get() == 1);
            go.countDown();
            Waits.on(closing);
        }
        assertThat(Waits.failure(run.result())).isInstanceOf(ActorStoppedException.class)
                .hasMessageContaining("numbers");
        var first = run.progress().stages().getFirst().in();
        assertThat(first).isGreaterThanOrEqualTo(3);
        assertThat(got).isEqualTo(ALL.subList(0, (int) first));
        assertThat(run.progress().stages()).allMatch(stage -> stage.cancelled() == 0);
    }

    @EveryStrategy
    @Promise("44.7")
    void stagesMayHaveAnyNames(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var run = Flows.pipeline(scope, "numbers", ALL)
                    .then(value -> value, StageOptions.usual().withName("source"))
                    .then(value -> value, StageOptions.usual().withName("result"))
                    .then(value -> value, StageOptions.usual().withName("same-1"))
                    .then(value -> value, StageOptions.parallel(2).withName("same"))
                    .then(value -> value, StageOptions.parallel(2).withName("same"))
                    .then(value -> value, StageOptions.usual().withName("stage-7"))
                    .then(value -> value)
                    .toList();
            assertThat(Waits.on(run.result())).isEqualTo(ALL);
            assertThat(run.progress().stages()).extracting(StageProgress::name)
                    .containsExactly("source", "result", "same-1", "same", "same", "stage-7", "stage-7",
                            "result");
        }
    }

    @Test
    @Promise("44.10")
    void furtherFailuresAreKeptInTheFirstOne() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.configure().listener(recorder).open()) {
            var together = new CyclicBarrier(2);
            var failures = List.of(new IOException("one"), new IOException("another one"));
            var run = Flows.pipeline(scope, "numbers", List.of(0, 1)).then(value -> {
                together.await();
                throw failures.get(value);
            }, StageOptions.parallel(2)).toList();
            var failure = Waits.failure(run.result());
            assertThat(failures).contains((IOException) failure);
            assertThat(failure.getSuppressed()).hasSize(1);
            assertThat(failures).contains((IOException) failure.getSuppressed()[0]).doesNotHaveDuplicates();
            assertThat(failure.getSuppressed()[0]).isNotSameAs(failure);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("44.11")
    void aStageThatFailsAfterTheCancellationIsReported() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.configure().listener(recorder).open()) {
            var begun = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var run = Flows.pipeline(scope, "numbers", ALL).then(value -> {
                begun.countDown();
                go.await();
                throw new IOException("as wanted");
            }).toList();
            Waits.on(begun);
            run.cancel();
            go.countDown();
            assertThat(Waits.failure(run.result())).isInstanceOf(CancellationException.class);
        }
        assertThat(recorder.only(Failed.class).cause()).hasMessage("as wanted");
    }

    @Test
    @Promise("44.10")
    void aFunctionThatIsAbandonedHasFailed() throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.configure().time(time).open()) {
            for (var onFailure : OnFailure.values()) {
                var begun = new CountDownLatch(1);
                var end = new Semaphore(0);
                var run = Flows.pipeline(scope, "numbers", ALL.subList(0, 10)).then(value -> {
                    if (value == 3) {
                        begun.countDown();
                        end.acquireUninterruptibly();
                    }
                    return value;
                }, StageOptions.usual().withOnFailure(onFailure).withActors(
                        actor -> actor.abandonStuck(LIMIT, GRACE))).toList();
                Waits.on(begun);
                try {
                    pass(time);
                    if (onFailure == OnFailure.STOP) {
                        Waits.until("it has failed", () -> run.progress().state() == State.FAILED);
                    } else {
                        assertThat(Waits.on(run.result())).containsExactly(0, 1, 2, 4, 5, 6, 7, 8, 9);
                        assertThat(run.progress().stages().getFirst().failed()).isOne();
                    }
                } finally {
                    end.release();
                }
                if (onFailure == OnFailure.STOP) {
                    assertThat(Waits.failure(run.result())).isInstanceOf(HandlerAbandonedException.class);
                }
            }
        }
    }

    /** Each value takes more than half of the limits, all of them together many times as long. */
    @Test
    @Promise("44.10")
    void theLimitsOfAHandlerCountForOneValue() throws Exception {
        var time = new ManualTime();
        var recorder = new Recorder();
        try (var scope = Scopes.configure().listener(recorder).time(time)
                .watchdog(Watchdog.none().stuckAfter(LIMIT)).open()) {
            ReplyHandler<Integer, Integer> slow = value -> {
                time.advance(LIMIT.multipliedBy(2).dividedBy(3));
                if (Thread.interrupted()) {
                    throw new InterruptedException("after " + value);
                }
                return value;
            };
            var few = ALL.subList(0, 20);
            assertThat(Waits.on(Flows.pipeline(scope, "with actors", few).then(slow,
                    StageOptions.usual().withActors(actor -> actor.abandonStuck(LIMIT, GRACE))).toList()
                    .result())).isEqualTo(few);
            assertThat(Waits.on(Flows.pipeline(scope, "in the source", few).then(slow).toList().result()))
                    .isEqualTo(few);
        }
        assertThat(recorder.of(Stuck.class)).isEmpty();
    }

    /** Lets the limit of the one handler that is stuck pass, and then its grace. */
    private static void pass(ManualTime time) {
        for (var each : List.of(LIMIT, GRACE)) {
            Waits.until("a limit of " + each, () -> time.nanosToNext() == each.toNanos());
            time.advanceToNext();
        }
    }

    /** The source holds the pipeline open until the abandoned thread has ended. */
    @Test
    @Promise("44.11")
    void whatAnAbandonedFunctionReturnsLaterGoesNowhere() throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.configure().time(time).open()) {
            var stuck = new CompletableFuture<Thread>();
            var end = new Semaphore(0);
            var more = new CountDownLatch(1);
            var source = Stream.concat(Stream.of(3), Stream.of(4).filter(value -> {
                try {
                    more.await();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
                return false;
            }));
            var run = Flows.pipeline(scope, "numbers", source).then(value -> {
                stuck.complete(Thread.currentThread());
                end.acquireUninterruptibly();
                return value;
            }, StageOptions.usual().withOnFailure(OnFailure.DROP).withActors(
                    actor -> actor.abandonStuck(LIMIT, GRACE))).toList();
            var thread = Waits.on(stuck);
            pass(time);
            Waits.until("it is abandoned", () -> run.progress().stages().getFirst().failed() == 1);
            end.release();
            Waits.on(thread);
            more.countDown();
            assertThat(Waits.on(run.result())).isEmpty();
            assertThat(run.progress().stages()).containsExactly(
                    new StageProgress("stage-1", 1, 0, 1, 0, 0, 0),
                    new StageProgress("result", 0, 0, 0, 0, 0, 0));
        }
    }

    @EveryStrategy
    @Promise("44.10")
    void aWorkerThatDoesNotStartEndsThePipeline(Strategy strategy) throws Exception {
        var create = strategy.create();
        try (var scope = Scopes.on(strategy)) {
            var run = Flows.pipeline(scope, "numbers", ALL)
                    .then(value -> value,
                            StageOptions.usual().withActors(actor -> actor.strategy(create).onStart(() -> {
                                throw new IllegalStateException("as wanted");
                            })))
                    .toList();
            assertThat(Waits.failure(run.result())).hasMessage("as wanted");
        }
    }

    @Test
    @Promise("44.7")
    void aLimitThatRefusesAMessageDoesNotHangAPipeline() throws Exception {
        for (var policy : List.of(OverflowPolicy.reject(), OverflowPolicy.fail(),
                OverflowPolicy.dropNewest())) {
            try (var scope =
                    Scopes.configure().limits(ScopeLimits.none().waiting(1).overflow(policy)).open()) {
                var other = scope.anonymous().newActor((Integer value) -> {
                });
                var go = new CompletableFuture<Void>();
                var begun = new CountDownLatch(1);
                var run = Flows.pipeline(scope, "numbers", ALL.stream().peek(value -> {
                    begun.countDown();
                    go.join();
                })).then(value -> value).toList();
                Waits.on(begun);
                try (var gate = Gate.in(other)) {
                    assertThat(other.sendMessage(1)).isTrue();
                    var refused = Flows.pipeline(scope, "more", ALL).toList();
                    assertThat(Waits.failure(refused.result())).isInstanceOf(ActorException.class);
                    go.complete(null);
                    assertThat(Waits.failure(run.result())).isInstanceOf(ActorException.class);
                    gate.open();
                }
                addsUp(run.progress());
            }
        }
    }

    private static void addsUp(PipelineProgress progress) {
        for (var stage : progress.stages()) {
            assertThat(stage.out() + stage.failed() + stage.cancelled() + stage.waiting() + stage.working())
                    .as("%s", stage).isEqualTo(stage.in());
        }
    }

    /** Errors as well as exceptions, at each place where a pipeline calls code of the program. */
    @EveryStrategy
    @Promise("44.10")
    void whateverASourceThrowsIsTheFailure(Strategy strategy) throws Exception {
        var error = new AssertionError("as wanted");
        try (var scope = Scopes.on(strategy)) {
            var inNext = Flows.pipeline(scope, "numbers", Stream.of(1, 2, 3).peek(value -> {
                if (value == 2) {
                    throw error;
                }
            })).toList();
            assertThat(Waits.failure(inNext.result())).isSameAs(error);
            assertThatThrownBy(() -> Flows.pipeline(scope, "numbers", () -> {
                throw error;
            }).toList()).isSameAs(error);
            assertThatThrownBy(
                    () -> Flows.pipeline(scope, "numbers", (Flow.Publisher<Integer>) subscriber -> {
                        throw error;
                    }).toList()).isSameAs(error);
            var inRequest = Flows.pipeline(scope, "numbers",
                    (Flow.Publisher<Integer>) subscriber -> subscriber.onSubscribe(new Flow.Subscription() {
                        @Override
                        public void request(long n) {
                            throw error;
                        }

                        @Override
                        public void cancel() {
                        }
                    })).toList();
            assertThat(Waits.failure(inRequest.result())).isSameAs(error);
            var inClose = Flows.pipeline(scope, "numbers", ALL.stream().onClose(() -> {
                throw error;
            })).toList();
            assertThat(Waits.on(inClose.result())).isEqualTo(ALL);
        }
    }

    @EveryStrategy
    @Promise("44.8")
    void aPipelineMayHaveOneStageOrFifty(Strategy strategy) throws Exception {
        var few = ALL.subList(0, 50);
        try (var scope = Scopes.on(strategy)) {
            for (int depth : new int[]{0, 1, 50}) {
                var pipeline = Flows.pipeline(scope, "numbers", few);
                for (int i = 0; i < depth; i++) {
                    pipeline =
                            pipeline.then(value -> value + 1, StageOptions.usual().withCapacity(1 + i % 3));
                }
                var expected = few.stream().map(value -> value + depth).toList();
                assertThat(Waits.on(pipeline.toList().result())).isEqualTo(expected);
                try (var publisher = pipeline.publisher()) {
                    var taker = Taker.<Integer>ofAll();
                    publisher.subscribe(taker);
                    assertThat(taker.failure()).isNull();
                    assertThat(taker.values).isEqualTo(expected);
                }
                var cancelled = pipeline.toList();
                cancelled.cancel();
                Waits.on(cancelled.result().handle((list, failure) -> true));
            }
        }
    }

    @Test
    @Promise("44.11")
    void aStageThatTheStopOfItsScopeInterruptsEndsThePipelineAsTheStopDoes() throws Exception {
        for (int i = 0; i < 20; i++) { // the interrupt and the end of the actors race
            var begun = new CountDownLatch(1);
            var never = new CountDownLatch(1);
            try (var scope = Scopes.configure().open()) {
                var run = Flows.pipeline(scope, "numbers", ALL).then(value -> {
                    begun.countDown();
                    never.await();
                    return value;
                }).toList();
                Waits.on(begun);
                scope.stop(Duration.ofMillis(1));
                assertThat(Waits.failure(run.result())).isInstanceOf(ActorStoppedException.class)
                        .hasMessageContaining("'numbers' was stopped");
            }
        }
    }
}
