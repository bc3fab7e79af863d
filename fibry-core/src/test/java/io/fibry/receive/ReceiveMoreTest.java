package io.fibry.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.ReceivingContext;
import io.fibry.Request;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Undelivered;
import io.fibry.message.MessageFate;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that are received to be handled together. On {@code caller()} the wait for them would be on the thread of their sender. */
class ReceiveMoreTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MOST = 3;

    private final Recorder events = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<List<String>> handled = new CopyOnWriteArrayList<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, events, time);
    }

    private void handle(ReceivingContext<String> inbox, String first) throws InterruptedException {
        var all = new ArrayList<>(List.of(first));
        all.addAll(inbox.receiveMore(MOST - 1, SECOND));
        handled.add(all);
        if (all.contains("fail")) {
            throw new IllegalStateException("as wanted");
        }
    }

    private static void isThere(Actor<?, ?> actor) throws Exception {
        actor.execAndWait(() -> {
        });
    }

    private static void isInTheHandler(Actor<?, ?> actor) {
        Waits.until("the message was taken", () -> actor.mailboxSize() == 0);
    }

    @Promise("36.13")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = "CALLER", mode = EnumSource.Mode.EXCLUDE)
    void thereAreEnoughOrTheTimeIsOver(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newReceivingActor(this::handle);
            List.of("a", "b", "c", "d").forEach(actor::sendMessage);
            var asked = actor.sendMessageReturn("e");
            Waits.until("the second call waits", () -> actor.mailboxSize() == 0 && time.pending() == 1);
            isThere(actor);
            assertThat(handled).containsExactly(List.of("a", "b", "c"));
            time.advance(SECOND.minusNanos(1));
            assertThat(asked).isNotDone();
            time.advance(Duration.ofNanos(1));
            assertThat(Waits.on(asked)).isNull();
            assertThat(handled).containsExactly(List.of("a", "b", "c"), List.of("d", "e"));
            assertThat(time.pending()).isZero();
            Waits.until("all are counted", () -> actor.counters().handled() == 6);
        }
    }

    @Promise("36.13")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = "CALLER", mode = EnumSource.Mode.EXCLUDE)
    void theyHaveOneFateAndOnlyWhenTheHandlerEnds(Strategy strategy) throws Exception {
        record Question() implements Request<Integer> {
        }
        try (var scope = scope(strategy)) {
            var begun = new CountDownLatch(1);
            var goOn = new CompletableFuture<Void>();
            var actor = scope.anonymous().<Object>newReceivingActor((inbox, first) -> {
                var more = inbox.receiveMore(MOST - 1, SECOND);
                begun.countDown();
                if (goOn.get() == null && more.contains("fail")) {
                    throw new IllegalStateException("as wanted");
                }
            });
            var fates = List.of(actor.sendTracked("a"), actor.sendTracked("b"));
            var answer = actor.sendMessageReturn("c");
            try {
                Waits.on(begun);
                assertThat(fates).noneMatch(CompletableFuture::isDone);
                assertThat(answer).isNotDone();
            } finally {
                goOn.complete(null);
            }
            assertThat(Waits.on(fates.getFirst())).isInstanceOf(MessageFate.Handled.class);
            assertThat(Waits.on(fates.getLast())).isInstanceOf(MessageFate.Handled.class);
            assertThat(Waits.on(answer)).isNull();
            var failed = List.of(actor.sendTracked("d"), actor.sendTracked("fail"));
            var failedAnswer = actor.sendMessageReturn("e");
            assertThat(Waits.on(failed.getFirst())).isInstanceOf(MessageFate.Failed.class);
            assertThat(Waits.on(failed.getLast())).isInstanceOf(MessageFate.Failed.class);
            assertThat(Waits.failure(failedAnswer)).hasMessage("as wanted");
            Waits.until("all are counted", () -> actor.counters().failed() == 3);
            assertThat(events.of(Failed.class)).as("reported once").hasSize(1);
            List.of("f", "g").forEach(actor::sendMessage);
            assertThat(Waits.failure(actor.request(new Question()))).as("a request gets no reply here")
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Promise("36.13")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = "CALLER", mode = EnumSource.Mode.EXCLUDE)
    void aStopOrARestartEndsTheWait(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var pill = scope.anonymous().newReceivingActor(this::handle);
            var exit = scope.anonymous().newReceivingActor(this::handle);
            var restart = scope.anonymous().onFailure(FailurePolicy.restart(9, Duration.ofMinutes(1)))
                    .newReceivingActor(this::handle);
            var last = scope.anonymous().newReceivingActor(this::handle);
            var fates = new ArrayList<CompletableFuture<MessageFate>>();
            for (var actor : List.of(pill, exit, restart, last)) {
                fates.add(actor.sendTracked("a"));
                fates.add(actor.sendTracked("b"));
                isInTheHandler(actor);
            }
            pill.sendPoisonPill();
            Waits.stopped(pill);
            exit.askExit();
            Waits.stopped(exit);
            assertThatThrownBy(() -> restart.execAndWait(() -> {
                throw new IllegalStateException("as wanted");
            })).hasRootCauseMessage("as wanted");
            Waits.until("it is restarted", () -> events.of(Restarted.class).size() == 1);
            scope.stop(SECOND);
            for (var fate : fates) {
                assertThat(Waits.on(fate)).isInstanceOf(MessageFate.Handled.class);
            }
            assertThat(handled).hasSize(4).containsOnly(List.of("a", "b"));
        }
        assertThat(events.of(Undelivered.class)).isEmpty();
        assertThat(time.pending()).isZero();
    }

    @Promise("36.13")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = "CALLER", mode = EnumSource.Mode.EXCLUDE)
    void inABodyTheyAreOverAtTheNextReceive(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            Actor<String, Void> actor =
                    scope.anonymous().newReceivingActor((ReceivingContext<String> inbox) -> {
                        while (true) {
                            var batch = new ArrayList<>(List.of(inbox.receive()));
                            batch.addAll(inbox.receiveMore(9, Duration.ZERO));
                            handled.add(batch);
                        }
                    });
            List<CompletableFuture<MessageFate>> fates;
            try (var gate = Gate.in(actor)) {
                fates = List.of("a", "b", "c").stream().map(actor::sendTracked).toList();
                gate.open();
            }
            for (var fate : fates) {
                assertThat(Waits.on(fate)).isInstanceOf(MessageFate.Handled.class);
            }
            assertThat(handled).containsExactly(List.of("a", "b", "c"));
        }
    }

    @Promise("36.13")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = "CALLER", mode = EnumSource.Mode.EXCLUDE)
    void whatIsOverIsNotTakenAndANumberIsChecked(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.named("tom").newReceivingActor(this::handle);
            try (var gate = Gate.in(actor)) {
                actor.sendMessage("a");
                actor.sendMessage("late", SECOND);
                actor.sendMessageReturn("cancelled").cancel(true);
                time.advance(SECOND);
                List.of("b", "c").forEach(actor::sendMessage);
                gate.open();
            }
            isThere(actor);
            assertThat(handled).containsExactly(List.of("a", "b", "c"));
            assertThat(actor.counters().expired()).isEqualTo(2);
            var refused = new CompletableFuture<Throwable>();
            scope.named("eve").<String>newReceivingActor((inbox, first) -> {
                try {
                    inbox.receiveMore(-1, SECOND);
                } catch (IllegalArgumentException failure) {
                    refused.complete(failure);
                }
            }).sendMessage("a");
            assertThat(Waits.on(refused)).hasMessageContainingAll("'eve'", "-1");
        }
    }
}
