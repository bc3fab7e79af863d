package io.fibry.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

class ReceivingTest {
    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<Object> got = new CopyOnWriteArrayList<>();

    @EveryStrategy
    void aBodyIsTheActorsWholeLife(Strategy strategy) {
        try (var scope = Scopes.on(strategy, recorder)) {
            Actor<Object, Void> actor = scope.named("life").newReceivingActor(context -> {
                got.add(context.receive(String.class));
                got.add(context.receive());
                got.add(context.receive(m -> m.equals(3)));
            });
            for (var message : List.of(1, "text", 2, 3, 4)) {
                actor.sendMessage(message);
            }
            actor.waitForExit();
            assertThat(got).containsExactly("text", 1, 3);
            assertThat(recorder.only(Stopped.class)).isEqualTo(new Stopped("life", Reason.EXIT));
            assertThat(actor.counters().handled()).isEqualTo(3);
            assertThat(actor.counters().total()).isEqualTo(5);
        }
    }

    @EveryStrategy
    void aTimeLimitEndsAWait(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder, time)) {
            Actor<Integer, Void> actor = scope.anonymous().newReceivingActor(context -> {
                got.add(context.receive(n -> n == 2, Duration.ZERO));
                got.add(context.receive(n -> n == 2, Duration.ofSeconds(1)));
                got.add(context.receive(n -> n == 2, Duration.ofSeconds(1)));
                got.add(context.receive(n -> n == 1, Duration.ZERO));
            });
            actor.sendMessage(1);
            await().until(() -> got.size() == 1 && time.pending() == 1);
            time.advance(Duration.ofSeconds(1));
            await().until(() -> got.size() == 2 && time.pending() == 1);
            actor.sendMessage(2);
            actor.waitForExit();
            assertThat(got).containsExactly(Optional.empty(), Optional.empty(), Optional.of(2),
                    Optional.of(1));
            assertThat(time.pending()).isZero();
        }
    }

    @EveryStrategy
    void anAskIsAnsweredOnceTheNextMessageIsTaken(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var hold = new CountDownLatch(1);
            Actor<Integer, Void> actor = scope.anonymous().newReceivingActor(context -> {
                got.add(context.receive());
                hold.await();
                context.receive();
                throw new IllegalStateException("with the second in hand");
            });
            var first = actor.sendMessageReturn(1);
            await().until(() -> got.size() == 1);
            assertThat(first).isNotDone();
            hold.countDown();
            assertThat(Waits.on(first)).isNull();
            assertThat(Waits.failure(actor.sendMessageReturn(2))).hasMessage("with the second in hand");
            actor.waitForExit();
            assertThat(recorder.only(Failed.class).cause()).hasMessage("with the second in hand");
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Reason.FAILURE);
            assertThat(actor.counters().handled()).isEqualTo(1);
            assertThat(actor.counters().failed()).isEqualTo(1);
        }
    }

    @EveryStrategy
    void codeRunsWhileABodyWaits(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            Actor<Integer, Void> actor = scope.anonymous().newReceivingActor(context -> {
                context.receive();
            });
            assertThat(Waits.on(actor.execFuture(() -> actor.state()))).isEqualTo(ActorState.BUSY);
            actor.execAndWait(() -> got.add("code"));
            actor.sendMessage(1);
            actor.waitForExit();
            assertThat(got).containsExactly("code");
            assertThat(actor.counters().handled()).isEqualTo(3);
        }
    }

    @EveryStrategy
    void messagesPassedOverKeepTheirPlaceInABoundedMailbox(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder, time)) {
            Actor<Integer, Void> actor = scope.anonymous()
                    .mailbox(MailboxPolicy.bounded(2, OverflowPolicy.reject())).newReceivingActor(context -> {
                        got.add(context.receive(n -> n == 9, Duration.ofSeconds(1)));
                        got.add(context.receive());
                        got.add(context.receive());
                    });
            actor.sendMessage(1);
            actor.sendMessage(2);
            await().until(() -> time.pending() == 1);
            assertThat(actor.sendMessage(9)).as("no room: two are passed over, but wait").isFalse();
            // It may be in the middle of passing over one, which then counts twice.
            await().until(() -> actor.mailboxSize() == 2);
            time.advance(Duration.ofSeconds(1));
            actor.waitForExit();
            assertThat(got).containsExactly(Optional.empty(), 1, 2);
        }
    }

    @Promise("5.4")
    @EveryStrategy
    void whatWasPassedOverAndIsOverKeepsNoPlace(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder, time)) {
            Actor<Integer, Void> actor = scope.anonymous()
                    .mailbox(MailboxPolicy.bounded(2, OverflowPolicy.reject())).newReceivingActor(context -> {
                        context.timers().once("tick", Duration.ofSeconds(1), 0);
                        got.add(context.receive(n -> n == 9, Duration.ofSeconds(2)));
                        context.timers().cancel("tick");
                        got.add(context.receive());
                        got.add(context.receive());
                    });
            var asks = List.of(actor.sendMessageReturn(1), actor.sendMessageReturn(2));
            await().until(() -> time.pending() == 2);
            time.advance(Duration.ofSeconds(1));
            asks.forEach(ask -> ask.cancel(true));
            time.advance(Duration.ofSeconds(1));
            Waits.until("both have expired", () -> actor.counters().expired() == 2);
            Waits.until("nothing waits", () -> actor.mailboxSize() == 0);
            assertThat(actor.sendMessage(3)).isTrue();
            assertThat(actor.sendMessage(4)).isTrue();
            actor.waitForExit();
            assertThat(got).containsExactly(Optional.empty(), 3, 4);
            assertThat(actor.counters().total()).isEqualTo(4);
        }
    }
}
