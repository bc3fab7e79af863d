package io.fibry.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class FaultsTest {
    @Promise("53.8")
    @EveryStrategy
    void aHandlerFailsAtItsThirdMessage(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).open();
                var recorder = Recorder.of(scope)) {
            var handled = new ConcurrentLinkedQueue<Integer>();
            var actor = scope.anonymous().newActor(Faults.<Integer>failingAt(3, handled::add));
            for (var number = 1; number <= 5; number++) {
                actor.sendMessage(number);
            }
            assertThat(recorder.expect(Failed.class).cause()).isInstanceOf(InjectedFailure.class)
                    .hasMessageContaining("message 3");
            ScopeAssertions.awaitIdle(scope);
            assertThat(handled).containsExactly(1, 2, 4, 5);

            var asked = scope.anonymous()
                    .newActorWithReturn(Faults.failingReplyAt(2, (Integer number) -> number + 1));
            assertThat(asked.apply(1)).isEqualTo(2);
            assertThat(Waits.failure(asked.sendMessageReturn(2))).isInstanceOf(InjectedFailure.class);
            assertThat(asked.apply(3)).isEqualTo(4);
        }
    }

    @Promise("53.8")
    @EveryStrategy
    void anActorStopsBetweenTwoMessages(Strategy strategy) {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).open();
                var recorder = Recorder.of(scope)) {
            var handled = new ConcurrentLinkedQueue<Integer>();
            var actor = scope.anonymous().newActor(Faults.<Integer>stoppingAfter(2, handled::add));
            for (var number = 1; number <= 3; number++) {
                actor.sendMessage(number);
            }
            Waits.stopped(actor);
            recorder.expect(Stopped.class, stopped -> stopped.reason() == Stopped.Reason.EXIT,
                    TestWait.DEFAULT);
            assertThat(recorder.expect(Undelivered.class).message()).isEqualTo(3);
            assertThat(handled).containsExactly(1, 2);
        }
    }

    @Promise("53.8")
    @Test
    void aMailboxIsFullForTwoSeconds() throws InterruptedException {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("test").time(time).open(); var recorder = Recorder.of(scope)) {
            var hold = new HeldHandlers();
            var begun = new CountDownLatch(1);
            Probe<String, Void> probe = Probe.in(scope);
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()))
                    .newActor(hold.around((String message) -> {
                        begun.countDown();
                        probe.actor().sendMessage(message);
                    }));
            hold.holdFor(Duration.ofSeconds(2), scope);
            while (actor.sendMessage("m")) {
                // one in the hands of the handler, perhaps, and one in the mailbox
            }
            recorder.expect(Undelivered.class, lost -> lost.cause() == Undelivered.Cause.FULL,
                    TestWait.DEFAULT);
            assertThat(begun.getCount()).isEqualTo(1);
            time.advance(Duration.ofSeconds(2));
            probe.expect("m");
            Waits.on(begun);
            ScopeAssertions.awaitIdle(scope);
            assertThat(actor.sendMessage("room again")).isTrue();
            probe.fish("room again"::equals);
        }
    }

    @Promise("53.8")
    @Test
    void theLastHoldDecidesHowLong() {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("test").time(time).open()) {
            var hold = new HeldHandlers();
            Probe<String, Void> probe = Probe.in(scope);
            var actor = scope.anonymous().newActor(hold.around((String message) -> {
                probe.actor().sendMessage(message);
            }));
            hold.holdFor(Duration.ofSeconds(2), scope);
            hold.holdFor(Duration.ofSeconds(10), scope);
            actor.sendMessage("longer");
            probe.expectNothing(Duration.ofSeconds(9));
            probe.expect("longer", Duration.ofSeconds(1));

            hold.holdFor(Duration.ofSeconds(2), scope);
            actor.sendMessage("until it is released");
            hold.hold();
            probe.expectNothing(Duration.ofSeconds(10));
            hold.release();
            probe.expect("until it is released");

            hold.holdFor(Duration.ofSeconds(10), scope);
            hold.holdFor(Duration.ofSeconds(2), scope);
            actor.sendMessage("shorter");
            probe.expect("shorter", Duration.ofSeconds(2));
        }
    }

    @Promise("53.8")
    @Test
    void aHoldAfterAReleaseHoldsOnlyTheNextMessage() {
        TestSchedule.explore(100, schedule -> {
            var hold = new HeldHandlers();
            Probe<String, Void> probe = Probe.in(schedule.scope());
            var actor = schedule.scope().anonymous().newActor(hold.around((String message) -> {
                probe.actor().sendMessage(message);
            }));
            hold.hold();
            actor.sendMessage("first");
            actor.sendMessage("second");
            schedule.awaitQuiet(); // the handler waits before the first one
            hold.release();
            hold.hold();
            probe.expect("first");
            probe.expectNothing(Duration.ofSeconds(1));
            hold.release();
            probe.expect("second");
        });
    }

    @Promise("53.8")
    @EveryStrategy
    void aTimerIsLate(Strategy strategy) {
        var time = new ManualTime();
        var late = LateTime.of(time);
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).time(late).open()) {
            Probe<String, Void> probe = Probe.in(scope);
            var actor = scope.anonymous().<String>newActor((context, message) -> {
                if (message.equals("begin")) {
                    context.timers().once("tick", Duration.ofSeconds(1), "tick");
                } else {
                    probe.actor().sendMessage(message);
                }
            });
            late.nextIsLateBy(Duration.ofSeconds(3));
            actor.sendMessage("begin");
            probe.expectNothing(Duration.ofSeconds(3));
            probe.expect("tick", Duration.ofSeconds(1));
            actor.sendMessage("begin");
            probe.expect("tick", Duration.ofSeconds(1));
            late.allAreLateBy(Duration.ofSeconds(1));
            actor.sendMessage("begin");
            probe.expectNothing(Duration.ofSeconds(1));
            probe.expect("tick", Duration.ofSeconds(1));
        }
    }

    @Promise("53.8")
    @Test
    void wrongNumbersAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Faults.<String>failingAt(0, message -> {
        })).withMessageContaining("counted from 1: 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LateTime.of(new ManualTime()).nextIsLateBy(Duration.ofSeconds(-1)));
        try (var scope = ActorSystem.open("test")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new HeldHandlers().holdFor(Duration.ZERO, scope));
        }
    }
}
