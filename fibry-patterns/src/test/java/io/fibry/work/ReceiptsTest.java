package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.event.Failed;
import io.fibry.function.ReplyHandler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Long work with receipts. */
class ReceiptsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final AtomicInteger ids = new AtomicInteger();
    private final List<WorkEvent> events = new CopyOnWriteArrayList<>();
    private final ReceiptOptions options =
            ReceiptOptions.of(MINUTE, 3).withIds(() -> "id" + ids.incrementAndGet())
                    .withListener(events::add);

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private static ReceiptState running(String id) {
        return new ReceiptState(id, ReceiptState.Status.RUNNING, 0, "", List.of());
    }

    @Promise("46.10")
    @EveryStrategy
    void aReceiptShowsHowFarTheWorkIs(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var receipts = Receipts.open(scope, "work", options.withNotes(2))) {
            var kept = new CompletableFuture<Progress>();
            var receipt = receipts.start(progress -> {
                progress.percent(10);
                progress.phase("reading");
                progress.note("one");
                progress.note("two");
                progress.note("three");
                kept.complete(progress);
                return "result";
            });
            assertThat(Waits.on(receipt.result())).isEqualTo("result");
            var end = new ReceiptState("id1", ReceiptState.Status.DONE, 100, "reading",
                    List.of("two", "three"));
            assertThat(receipt.state()).isEqualTo(end);
            assertThat(receipts.find("id1")).contains(receipt);
            assertThat(receipts.states()).containsExactly(end);
            Waits.until("the end is told", () -> events.size() > 5);
            assertThat(events).hasSize(6).contains(new WorkEvent.ReceiptChanged("work",
                    new ReceiptState("id1", ReceiptState.Status.RUNNING, 10, "reading", List.of("one"))));
            Waits.on(kept).percent(20);
            assertThat(receipt.state()).as("after the end").isEqualTo(end);
            assertThatThrownBy(() -> Waits.on(kept).percent(101)).hasMessageContaining("101");
            Waits.until("the work is counted", () -> receipts.counters().handled() > 0);
        }
    }

    @Promise("46.10")
    @EveryStrategy
    void theReportOfAFailureNamesTheWorkAndItsReceipt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var receipts = Receipts.open(scope, "work", options)) {
            Waits.failure(receipts.start(new FailingWork()).result());
            var failed = recorder.await(Failed.class);
            assertThat(failed.message()).contains(FailingWork.class);
            assertThat(failed.about()).contains("receipt id1");
        }
    }

    private static final class FailingWork implements ReplyHandler<Progress, Integer> {
        @Override
        public Integer handle(Progress progress) {
            throw new IllegalStateException("as wanted");
        }
    }

    @Promise("46.10")
    @EveryStrategy
    void aFailureIsInTheResult(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var receipts = Receipts.open(scope, "work", options)) {
            var receipt = receipts.start(progress -> {
                progress.percent(30);
                throw new IllegalStateException("as wanted");
            });
            assertThat(Waits.failure(receipt.result())).hasMessage("as wanted");
            assertThat(receipt.state().status()).isEqualTo(ReceiptState.Status.FAILED);
            assertThat(receipt.state().percent()).isEqualTo(30);
        }
    }

    @Promise("46.11")
    @EveryStrategy
    void theWorkSurvivesItsAskerAndItsTimeLimit(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var receipts = Receipts.open(scope, "work", options)) {
            var go = new CountDownLatch(strategy.isAsync() ? 1 : 0);
            var left = new CompletableFuture<Optional<Duration>>();
            var asker = scope.anonymous().newActorWithReturn((String text) -> receipts.start(progress -> {
                left.complete(ActorSystem.timeLeft());
                go.await();
                return text;
            }).id());
            var id = Waits.on(asker.ask("kept", MINUTE));
            asker.close();
            time.advance(Duration.ZERO);
            var receipt = receipts.find(id).orElseThrow();
            receipt.result().cancel(true); // no end of the work
            go.countDown();
            assertThat(Waits.on(receipt.result())).isEqualTo("kept");
            assertThat(Waits.on(left)).isEmpty();
        }
    }

    @Promise("46.11")
    @EveryStrategy
    void receiptsAreKeptForATime(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var receipts = Receipts.open(scope, "work", options)) {
            Waits.on(receipts.start(progress -> 1).result());
            time.advance(MINUTE.minusNanos(1));
            assertThat(receipts.find("id1")).isPresent();
            time.advance(Duration.ofNanos(1));
            assertThat(receipts.find("id1")).isEmpty();
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("46.11")
    @EveryStrategy
    void noMoreThanTheOptionsAllow(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // the work would hold up the thread of the time
        }
        try (var scope = scope(strategy); var receipts = Receipts.open(scope, "work", options)) {
            var go = new CountDownLatch(1);
            ReplyHandler<Progress, Integer> waits = progress -> {
                go.await();
                return 1;
            };
            receipts.start(waits);
            Waits.on(receipts.start(progress -> 2).result());
            receipts.start(waits);
            receipts.start(waits);
            assertThat(receipts.find("id2")).as("it made room").isEmpty();
            assertThatThrownBy(() -> receipts.start(waits)).isInstanceOf(ReceiptsFullException.class)
                    .hasMessageContainingAll("'work'", "as many receipts as it may, 3");
            assertThat(receipts.states()).hasSize(3).contains(running("id1"));
            go.countDown();
            Waits.on(receipts.find("id4").orElseThrow().result());
            ids.set(3);
            assertThatThrownBy(() -> receipts.start(waits)).hasMessageContaining("'id4'");
        }
    }

    @Promise("46.12")
    @EveryStrategy
    void workIsCancelled(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // the work would hold up the thread of the time
        }
        try (var scope = scope(strategy); var receipts = Receipts.open(scope, "work", options)) {
            var entered = new CountDownLatch(1);
            var interrupted = new CountDownLatch(1);
            var receipt = receipts.start(progress -> {
                Waits.untilInterrupted(entered, interrupted);
                return 1;
            });
            Waits.on(entered);
            assertThat(receipt.cancel()).isTrue();
            Waits.on(interrupted);
            assertThat(receipt.cancel()).isFalse();
            assertThat(Waits.failure(receipt.result())).isInstanceOf(CancellationException.class);
            assertThat(receipt.state().status()).isEqualTo(ReceiptState.Status.CANCELLED);
            var ended = receipts.start(progress -> 2);
            Waits.on(ended.result());
            assertThat(ended.cancel()).isFalse();
            assertThat(ended.state().status()).isEqualTo(ReceiptState.Status.DONE);
        }
    }

    @Promise("46.12")
    @EveryStrategy
    void theEndOfTheScopeEndsTheWork(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // the work would hold up the thread of the time
        }
        try (var scope = scope(strategy)) {
            var receipts = Receipts.open(scope, "work", options);
            var entered = new CountDownLatch(1);
            var receipt = receipts.start(progress -> {
                progress.percent(30);
                progress.phase("sleeping");
                entered.countDown();
                new CountDownLatch(1).await();
                return 1;
            });
            Waits.on(entered);
            receipts.stop(Duration.ZERO);
            assertThat(Waits.failure(receipt.result())).as("what the work has thrown")
                    .isInstanceOf(ActorStoppedException.class)
                    .hasMessage("the work of receipt '" + receipt.id()
                            + "' was interrupted at 30 percent, phase 'sleeping', since the scope 'work' was stopped before its end;"
                            + " give the stop, or the close time-out of the scope, the time that the work needs")
                    .hasCauseInstanceOf(InterruptedException.class);
            assertThat(receipt.state().status()).isEqualTo(ReceiptState.Status.FAILED);
            var report = Waits.on(receipts.onStopped());
            assertThat(report.name()).isEqualTo("work");
            assertThat(report.forced()).isTrue();
            assertThat(report.stopped()).isTrue();
            assertThatThrownBy(() -> receipts.start(progress -> 1)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'work'");
            assertThat(receipts.states()).containsExactly(receipt.state());
        }
    }

    @Promise("46.12")
    @EveryStrategy
    void workThatOtherCodeInterruptsNamesTheReceipt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var receipts = Receipts.open(scope, "work", options);
            var receipt = receipts.start(progress -> {
                Thread.currentThread().interrupt();
                Thread.sleep(Duration.ofMinutes(1)); // its exception has a text, which names nothing
                return 1;
            });
            assertThat(Waits.failure(receipt.result())).isInstanceOf(InterruptedException.class)
                    .hasMessage("the work of receipt '" + receipt.id()
                            + "' was interrupted at 0 percent; the scope 'work' is open, so other code has interrupted its thread")
                    .hasCauseInstanceOf(InterruptedException.class);
        }
    }

    @Promise("46.12")
    @EveryStrategy
    void workThatHasNotBegunWillNot(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // there all work has begun when start returns
        }
        var held = new ConcurrentLinkedQueue<Runnable>();
        var holds = new AtomicBoolean(true);
        CreationStrategy late = CreationStrategy.of(turn -> {
            if (holds.get()) {
                held.add(turn);
            } else {
                Thread.startVirtualThread(turn);
            }
        });
        try (var scope = scope(strategy)) {
            var receipts =
                    Receipts.open(scope, "work", options.withActors(builder -> builder.strategy(late)));
            var begun = new AtomicInteger();
            var cancelled = receipts.start(progress -> begun.incrementAndGet());
            var ended = receipts.start(progress -> begun.incrementAndGet());
            Waits.until("both wait for a thread", () -> held.size() == 2);
            assertThat(cancelled.cancel()).isTrue();
            assertThat(Waits.failure(cancelled.result())).isInstanceOf(CancellationException.class);
            holds.set(false);
            var closing = Thread.startVirtualThread(() -> receipts.stop(Duration.ZERO));
            Waits.until("the work has ended", () -> ended.state().isOver());
            held.forEach(Runnable::run);
            Waits.on(closing);
            assertThat(Waits.failure(ended.result())).isInstanceOf(ActorException.class);
            assertThat(begun).hasValue(0);
            assertThat(receipts.states()).hasSize(2).allMatch(ReceiptState::isOver);
            assertThatThrownBy(() -> receipts.start(progress -> 1)).isInstanceOf(IllegalStateException.class);
            assertThat(receipts.states()).as("no receipt of what was not started").hasSize(2);
        }
    }
}
