package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorName;
import io.fibry.ActorSystem;
import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.Lifetime;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Request;
import io.fibry.ScopeLimits;
import io.fibry.event.Expired;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Undelivered;
import io.fibry.function.Handler;
import io.fibry.message.BatchOptions;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that are handled together. */
class BatchTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final BatchOptions<String> OPTIONS = BatchOptions.of(3, SECOND);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<List<String>> handled = new CopyOnWriteArrayList<>();
    private final Handler<List<String>> handler = this::handle;

    private void handle(List<String> batch) {
        handled.add(List.copyOf(batch));
        if (batch.contains("fail")) {
            throw new IllegalStateException("as wanted");
        }
    }

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private static void isThere(Actor<?, ?> actor) throws Exception {
        actor.execAndWait(() -> {
        });
    }

    @Promise("36.10")
    @EveryStrategy
    void aBatchEndsWhenItIsFullOrItsTimeIsOver(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newBatchActor(OPTIONS, handler);
            List.of("a", "b", "c", "d").forEach(actor::sendMessage);
            var asked = actor.sendMessageReturn("e");
            isThere(actor);
            assertThat(handled).containsExactly(List.of("a", "b", "c"));
            assertThat(actor.mailboxSize()).isZero();
            time.advance(SECOND.minusNanos(1));
            assertThat(asked).isNotDone();
            time.advance(Duration.ofNanos(1));
            assertThat(Waits.on(asked)).isNull();
            assertThat(handled).containsExactly(List.of("a", "b", "c"), List.of("d", "e"));
            assertThat(actor.counters().handled()).isEqualTo(6);
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("36.10")
    @EveryStrategy
    void groupedOrMerged(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var grouped = scope.anonymous().newBatchActor(
                    BatchOptions.<String>of(5, SECOND).groupedBy(message -> message.charAt(0)), handler);
            List.of("a1", "b1", "a2", "b2", "c1").forEach(grouped::sendMessage);
            isThere(grouped);
            assertThat(handled).containsExactly(List.of("a1", "a2"), List.of("b1", "b2"), List.of("c1"));
            handled.clear();
            var merged = scope.anonymous().newBatchActor(
                    BatchOptions.<String>of(4, SECOND).mergedBy(message -> message.charAt(0),
                            (older, newer) -> newer),
                    handler);
            List.of("a1", "b1", "a2", "a3").forEach(merged::sendMessage);
            isThere(merged);
            assertThat(handled).containsExactly(List.of("a3", "b1"));
            assertThat(merged.counters().handled()).isEqualTo(5);
        }
    }

    @Promise("36.11")
    @EveryStrategy
    void allFailTogether(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            for (var kept : List.of(false, true)) {
                var builder = scope.anonymous().onFailure(FailurePolicy.restart(9, Duration.ofMinutes(1)));
                var actor = (kept ? builder.keepFailedMessages() : builder).newBatchActor(
                        BatchOptions.<String>of(4, SECOND).groupedBy(message -> message.equals("b")),
                        handler);
                actor.sendMessage("a");
                var failed = actor.sendMessageReturn("fail");
                actor.sendMessage("b");
                var also = actor.sendMessageReturn("c");
                assertThat(Waits.failure(failed)).hasMessage("as wanted");
                assertThat(Waits.failure(also)).hasMessage("as wanted");
                isThere(actor);
                assertThat(handled).containsExactly(List.of("a", "fail", "c"), List.of("b"));
                assertThat(actor.counters().failed()).isEqualTo(3);
                handled.clear();
            }
            assertThat(recorder.of(Restarted.class)).hasSize(2);
            assertThat(recorder.of(Failed.class)).extracting(failed -> failed.keptMessage().orElse("none"))
                    .containsExactly("none", "a", "fail", "c");
        }
    }

    @Promise("36.11")
    @EveryStrategy
    void theFateOfEachMessageIsThatOfItsBatch(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newBatchActor(OPTIONS.withMost(2), handler);
            var first = actor.sendTracked("a");
            assertThat(first).isNotDone();
            var second = actor.sendTracked("b");
            assertThat(Waits.on(first)).isInstanceOf(MessageFate.Handled.class);
            assertThat(Waits.on(second)).isInstanceOf(MessageFate.Handled.class);
            var failed = List.of(actor.sendTracked("c"), actor.sendTracked("fail"));
            assertThat(Waits.on(failed.getFirst())).isInstanceOf(MessageFate.Failed.class);
            assertThat(Waits.on(failed.getLast())).isInstanceOf(MessageFate.Failed.class);
        }
    }

    @Promise("36.11")
    @EveryStrategy
    void asksThatAreOverAndMessagesThatExpireAreLeftOut(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor =
                    scope.anonymous().newBatchActor(OPTIONS.withLongestWait(SECOND.multipliedBy(2)), handler);
            var cancelled = actor.sendMessageReturn("cancelled");
            actor.sendMessage("late", SECOND);
            isThere(actor);
            cancelled.cancel(true);
            time.advance(SECOND);
            actor.sendMessage("a");
            isThere(actor);
            assertThat(handled).containsExactly(List.of("a"));
            assertThat(actor.counters().expired()).isEqualTo(2);
            assertThat(recorder.only(Expired.class).message()).isEqualTo("late");
        }
    }

    @Promise("36.11")
    @EveryStrategy
    void aRequestFailsAsAnyFailureDoes(Strategy strategy) throws Exception {
        record Text(String text) implements Request<Integer> {
        }
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().onFailure(FailurePolicy.restart(9, Duration.ofMinutes(1)))
                    .<Object>newBatchActor(BatchOptions.of(4, SECOND),
                            batch -> handled.add(batch.stream().map(Object::toString).toList()));
            var first = actor.request(new Text("a"));
            var told = actor.sendTracked("b");
            var second = actor.request(new Text("c"));
            var asked = actor.sendMessageReturn("d");
            for (var request : List.of(first, second)) {
                assertThat(Waits.failure(request)).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("handles batches");
            }
            assertThat(Waits.on(told)).isInstanceOf(MessageFate.Handled.class);
            assertThat(Waits.on(asked)).isNull();
            isThere(actor);
            assertThat(handled).hasSize(1);
            assertThat(actor.counters().failed()).isEqualTo(2);
            assertThat(recorder.of(Failed.class)).hasSize(1);
            assertThat(recorder.of(Restarted.class)).hasSize(1);
        }
    }

    @Promise("36.11")
    @EveryStrategy
    void aMergeThatFailsOrMakesNothingFailsTheBatch(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.named("tom").newBatchActor(
                    BatchOptions.<String>of(3, SECOND).mergedBy(message -> message.charAt(0),
                            (older, newer) -> switch (newer) {
                                case "a-null" -> null;
                                case "a-throws" -> throw new IllegalStateException("as wanted");
                                default -> older + newer;
                            }),
                    handler);
            for (var odd : List.of("a-null", "a-throws")) {
                var fates = List.of(actor.sendTracked("a"), actor.sendTracked("b"), actor.sendTracked(odd));
                for (var fate : fates) {
                    assertThat(Waits.on(fate)).isInstanceOf(MessageFate.Failed.class);
                }
            }
            assertThat(handled).isEmpty();
            assertThat(recorder.of(Failed.class)).extracting(failed -> failed.cause().getMessage())
                    .satisfiesExactly(
                            text -> assertThat(text).contains("'tom'", "has returned null", "let it return"),
                            text -> assertThat(text).isEqualTo("as wanted"));
            List.of("a", "b", "a2").forEach(actor::sendMessage);
            isThere(actor);
            assertThat(handled).containsExactly(List.of("aa2", "b"));
            assertThat(actor.counters().failed()).isEqualTo(6);
        }
    }

    private static Character key(String message) {
        return switch (message) {
            case "odd" -> throw new IllegalArgumentException("no key");
            case "null" -> null;
            default -> message.charAt(0);
        };
    }

    @Promise("36.11")
    @EveryStrategy
    void aMessageWithoutAKeyFailsAloneAndNullIsAKey(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var options = BatchOptions.<String>of(5, SECOND);
            for (var each : List.of(options.groupedBy(BatchTest::key),
                    options.mergedBy(BatchTest::key, (older, newer) -> older + "," + newer))) {
                handled.clear();
                var actor = scope.anonymous().onFailure(FailurePolicy.restart(9, Duration.ofMinutes(1)))
                        .newBatchActor(each, handler);
                actor.sendMessage("a");
                var odd = actor.sendMessageReturn("odd");
                List.of("null", "a", "null").forEach(actor::sendMessage);
                assertThat(Waits.failure(odd)).isInstanceOf(IllegalArgumentException.class);
                isThere(actor);
                assertThat(handled).isEqualTo(each.merge().isPresent() ? List.of(List.of("a,a", "null,null"))
                        : List.of(List.of("a", "a"), List.of("null", "null")));
                assertThat(actor.counters().failed()).isEqualTo(1);
                assertThat(recorder.of(Restarted.class)).as("before the others are handled")
                        .hasSize(each.merge().isPresent() ? 2 : 1);
            }
            handled.clear();
            var stopped = scope.anonymous().onFailure(FailurePolicy.stop())
                    .newBatchActor(options.groupedBy(BatchTest::key), handler);
            var fates = List.of("a", "odd", "b", "c", "d").stream().map(stopped::sendTracked).toList();
            Waits.stopped(stopped);
            assertThat(handled).as("nothing is handled after the failure that stops the actor").isEmpty();
            assertThat(Waits.on(fates.getFirst())).isInstanceOf(MessageFate.Undelivered.class);
            assertThat(Waits.on(fates.get(1))).isInstanceOf(MessageFate.Failed.class);
            assertThat(stopped.counters().undelivered()).isEqualTo(4);
        }
    }

    @Promise("36.12")
    @EveryStrategy
    void aRestartKeepsTheOpenBatch(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().onFailure(FailurePolicy.restart(9, Duration.ofMinutes(1)))
                    .newBatchActor(OPTIONS, handler);
            var first = actor.sendTracked("a");
            actor.sendMessage("b");
            assertThatThrownBy(() -> actor.execAndWait(() -> {
                throw new IllegalStateException("as wanted");
            })).hasRootCauseMessage("as wanted");
            isThere(actor);
            assertThat(recorder.of(Restarted.class)).hasSize(1);
            assertThat(first).isNotDone();
            assertThat(handled).isEmpty();
            time.advance(SECOND);
            assertThat(Waits.on(first)).isInstanceOf(MessageFate.Handled.class);
            assertThat(handled).containsExactly(List.of("a", "b"));
            List.of("c", "d", "e").forEach(actor::sendMessage);
            isThere(actor);
            assertThat(handled).containsExactly(List.of("a", "b"), List.of("c", "d", "e"));
        }
    }

    @Promise({"33.1", "36.10"})
    @EveryStrategy
    void batchesAreHandledWithAState(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().state(ArrayList<String>::new).newBatchActor(OPTIONS,
                    (ArrayList<String> lines, List<String> batch) -> lines.add(String.join("+", batch)));
            List.of("a", "b", "c", "d").forEach(actor::sendMessage);
            Future<List<String>> lines = actor.execFutureWithState(state -> List.copyOf(state));
            assertThat(Waits.on(lines)).containsExactly("a+b+c");
            assertThat(actor.state()).as("the code does not end the open batch").isEqualTo(ActorState.BUSY);
            time.advance(SECOND);
            lines = actor.execFutureWithState(state -> List.copyOf(state));
            assertThat(Waits.on(lines)).containsExactly("a+b+c", "d");
        }
    }

    @Promise("36.12")
    @EveryStrategy
    void anActorWithAnOpenBatchIsBusy(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newBatchActor(OPTIONS, handler);
            assertThat(actor.state()).isEqualTo(ActorState.IDLE);
            actor.sendMessage("a");
            Waits.until("the batch is open", () -> actor.toString().contains("1 put aside"));
            for (int looks = 0; looks < 3; looks++) {
                isThere(actor);
                assertThat(actor.state()).isEqualTo(ActorState.BUSY);
            }
            time.advance(SECOND);
            Waits.until("it is idle", () -> actor.state() == ActorState.IDLE);
            assertThat(handled).containsExactly(List.of("a"));
        }
    }

    @Promise("36.12")
    @EveryStrategy
    void aPillAndACloseOfTheScopeEndTheBatch(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var pill = scope.anonymous().newBatchActor(OPTIONS, handler);
            pill.sendMessage("a");
            isThere(pill);
            pill.sendPoisonPill();
            Waits.stopped(pill);
            var grouped = scope.anonymous().newBatchActor(OPTIONS.groupedBy(message -> message), handler);
            List.of("b", "c").forEach(grouped::sendMessage);
            scope.stop(SECOND);
            assertThat(handled).containsExactly(List.of("a"), List.of("b"), List.of("c"));
        }
        assertThat(recorder.of(Undelivered.class)).isEmpty();
        assertThat(time.pending()).isZero();
    }

    @Promise("36.12")
    @EveryStrategy
    void atAnExitTheOpenBatchIsUndelivered(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newBatchActor(OPTIONS, handler);
            var asked = actor.sendMessageReturn("a");
            actor.sendMessage("b");
            isThere(actor);
            actor.askExit();
            assertThat(Waits.failure(asked)).isInstanceOf(ActorStoppedException.class);
            Waits.stopped(actor);
            assertThat(actor.counters().undelivered()).isEqualTo(2);
            assertThat(handled).isEmpty();
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("36.12")
    @EveryStrategy
    void anActorWithAnOpenBatchIsNotIdle(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().stopWhenIdle(SECOND)
                    .newBatchActor(OPTIONS.withLongestWait(SECOND.multipliedBy(10)), handler);
            actor.sendMessage("a");
            isThere(actor);
            Waits.soon().until(() -> {
                time.advance(SECOND);
                return actor.waitForExit(Duration.ZERO);
            });
            assertThat(handled).containsExactly(List.of("a"));
        }
    }

    @Promise("36.12")
    @EveryStrategy
    void theSuccessorInAGroupGetsTheOpenBatch(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var group = scope.anonymous().newGroup(GroupPolicy.oneForOne());
            group.add("tom", Lifetime.PERMANENT, builder -> builder.newBatchActor(OPTIONS, handler));
            var actor = scope.<String, Void>find(ActorName.of("tom")).orElseThrow();
            List.of("a", "b").forEach(actor::sendMessage);
            isThere(actor);
            actor.askExit();
            Waits.stopped(actor);
            Waits.until("the successor is there",
                    () -> scope.<String, Void>find(ActorName.of("tom")).filter(next -> next != actor)
                            .map(next -> next.sendMessage("c")).orElse(false));
            Waits.until("it was handled", () -> !handled.isEmpty());
            assertThat(handled).containsExactly(List.of("a", "b", "c"));
        }
    }

    @Promise("36.12")
    @EveryStrategy
    void aMailboxHoldsItsCapacityBesideTheBatchAndLimitsCountIt(Strategy strategy) throws Exception {
        try (var scope =
                ActorSystem.configure("limited").strategy(strategy.create()).listener(recorder).time(time)
                        .limits(ScopeLimits.none().waiting(2)).open()) {
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()))
                    .newBatchActor(OPTIONS, handler);
            for (var message : List.of("a", "b")) {
                assertThat(actor.sendMessage(message)).isTrue();
                Waits.until("it is in the batch", () -> actor.mailboxSize() == 0);
            }
            assertThat(actor.sendMessage("c")).as("both places are taken").isFalse();
            Waits.until("the batch waits", () -> time.pending() == 1);
            time.advance(SECOND);
            Waits.until("it was handled", () -> !handled.isEmpty());
            Waits.until("there is room", () -> actor.sendMessage("d"));
            assertThat(handled).containsExactly(List.of("a", "b"));
        }
    }

    @Promise("36.11")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void anActorThatAbandonsHandlers(Strategy strategy) throws Exception {
        var stuck = new java.util.concurrent.CountDownLatch(1);
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().abandonStuck(Duration.ofMillis(20), Duration.ofMillis(1))
                    .newBatchActor(BatchOptions.<String>of(2, SECOND), batch -> {
                        while (batch.contains("stuck") && stuck.getCount() > 0) {
                            Thread.onSpinWait();
                        }
                        handle(batch);
                    });
            actor.sendMessage("a");
            assertThat(Waits.failure(actor.sendMessageReturn("stuck")))
                    .isInstanceOf(HandlerAbandonedException.class);
            stuck.countDown();
            actor.sendMessage("b");
            Waits.on(actor.sendMessageReturn("c"));
            assertThat(handled).contains(List.of("b", "c"));
            assertThat(actor.counters().failed()).isEqualTo(2);
        }
    }

    @Promise("36.10")
    @Test
    void misuseIsRefusedWithTheRemedy() throws Exception {
        try (var scope = scope(Strategy.FIBERS)) {
            assertThatThrownBy(() -> scope.named("tom").stash(1).newBatchActor(OPTIONS, handler))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("stash")
                    .hasMessageContaining("batch");
            assertThatThrownBy(() -> scope.named("tom").urgent(1).newBatchActor(OPTIONS, handler))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("urgent");
            assertThatThrownBy(() -> scope.named("tom").interruptOnCancel().newBatchActor(OPTIONS, handler))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("'tom'", "interruptOnCancel", "leave that out");
            assertThatThrownBy(() -> BatchOptions.of(0, SECOND)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> BatchOptions.of(1, Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class);
            var waits = scope.anonymous().newBatchActor(OPTIONS, handler);
            var asked = waits.ask("a", Duration.ofMillis(1));
            isThere(waits);
            time.advance(Duration.ofMillis(1));
            assertThat(Waits.failure(asked))
                    .hasMessageContaining("it waits for the end of its batch, as one of 1 messages");
        }
    }

    @Promise("36.10")
    @EveryStrategy
    void whatWaitsIsABatch(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newBatchActor(OPTIONS.withMost(10), handler);
            try (var gate = Gate.in(actor)) {
                for (int i = 0; i < 25; i++) {
                    actor.sendMessage("m");
                }
                gate.open();
            }
            isThere(actor);
            assertThat(handled).extracting(List::size).containsExactly(10, 10);
        }
        assertThat(handled).extracting(List::size).containsExactly(10, 10, 5);
    }
}
