package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.ScopeLimits;
import io.fibry.event.Expired;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Messages that expire while they wait. */
class TimeToLiveTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<String> handled = new CopyOnWriteArrayList<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private static void isThere(Actor<?, ?> actor) throws Exception {
        actor.execAndWait(() -> {
        });
    }

    private void expires(Actor<String, ?> actor) throws Exception {
        try (var gate = Gate.in(actor)) {
            assertThat(actor.sendMessage("short", SECOND)).isTrue();
            assertThat(actor.sendMessage("long", SECOND.multipliedBy(2))).isTrue();
            actor.sendMessage("for ever");
            time.advance(SECOND);
            gate.open();
        }
        Waits.until("all were handled", () -> handled.size() == 2); // there may be no room for code
        isThere(actor);
        assertThat(handled).containsExactly("long", "for ever");
        var expired = recorder.only(Expired.class);
        assertThat(expired).isEqualTo(new Expired(actor.name(), "short", SECOND));
        assertThat(actor.counters().expired()).isEqualTo(1);
        assertThat(actor.counters().total()).isEqualTo(5);
        assertThat(recorder.of(Undelivered.class)).isEmpty();
    }

    @Promise("36.6")
    @EveryStrategy
    void whatWaitsForLongerIsNotHandled(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            expires(scope.named("tom").newActor((String message) -> {
                handled.add(message);
            }));
        }
    }

    @Promise("36.6")
    @EveryStrategy
    void inABoundedMailboxWithLimits(Strategy strategy) throws Exception {
        try (var scope =
                ActorSystem.configure("limited").strategy(strategy.create()).listener(recorder).time(time)
                        .limits(ScopeLimits.none().waiting(3)).open()) {
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(10, OverflowPolicy.reject()))
                    .newActor((String message) -> {
                        handled.add(message);
                    });
            expires(actor);
            try (var gate = Gate.in(actor)) {
                assertThat(List.of("a", "b", "c")).as("the place of the expired one is free")
                        .allMatch(message -> actor.sendMessage(message, SECOND));
                assertThat(actor.sendMessage("d", SECOND)).isFalse();
                gate.open();
            }
        }
    }

    @Promise("36.6")
    @EveryStrategy
    void whatIsReceivedHasNotExpired(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newReceivingActor((ReceivingContext<String> inbox) -> {
                inbox.receive("start"::equals);
                handled.add(inbox.receive(message -> message.startsWith("b")));
                handled.add(inbox.receive());
            });
            actor.sendMessage("a", SECOND);
            actor.sendMessage("b1", SECOND);
            Waits.until("both were passed over", () -> actor.state() == io.fibry.ActorState.IDLE);
            time.advance(SECOND);
            List.of("c", "start", "b2").forEach(actor::sendMessage);
            Waits.stopped(actor);
            assertThat(handled).containsExactly("b2", "c");
            assertThat(recorder.of(Expired.class)).extracting(Expired::message).containsExactly("a", "b1");
            assertThat(actor.counters().expired()).isEqualTo(2);
        }
    }

    @Promise("36.6")
    @EveryStrategy
    void aMessageThatWasPutAsideExpires(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().stash(5)
                    .newActor((ActorContext<String, Void> context, String message) -> {
                        if (message.equals("open")) {
                            context.unstashAll();
                        } else {
                            context.stash();
                        }
                    });
            actor.sendMessage("a", SECOND);
            isThere(actor);
            time.advance(SECOND);
            actor.sendMessage("open");
            assertThat(recorder.await(Expired.class).message()).isEqualTo("a");
        }
    }

    @Promise("36.6")
    @EveryStrategy
    void actorsByKey(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var keyed = scope.anonymous().<String, String>keyed(message -> "one").idle(Duration.ofHours(1))
                    .newActorsFrom(key -> (context, message) -> handled.add(message));
            keyed.sendMessage("first");
            Waits.until("it was handled", () -> handled.size() == 1);
            try (var gate = Gate.in(keyed.find("one").orElseThrow())) {
                assertThat(keyed.sendMessage("late", SECOND)).isTrue();
                time.advance(SECOND);
                gate.open();
            }
            recorder.await(Expired.class);
            assertThat(handled).containsExactly("first");
        }
    }

    @Promise("36.6")
    @EveryStrategy
    void aSenderWaitsForRoomNoLongerThanThat(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block()))
                    .newActor((String message) -> {
                    });
            try (var gate = Gate.in(actor)) {
                actor.sendMessage("a");
                var sender = Thread.ofPlatform().start(() -> actor.sendMessage("b", SECOND));
                Waits.parked(sender);
                time.advance(SECOND);
                Waits.on(sender);
                gate.open();
            }
        }
        assertThat(recorder.only(Undelivered.class).cause()).isEqualTo(Cause.BLOCK_TIMEOUT);
    }

    @Promise("36.6")
    @Test
    void theTimeHasToBePositive() {
        try (var scope = scope(Strategy.FIBERS)) {
            var actor = scope.anonymous().newActor((String message) -> {
            });
            assertThatThrownBy(() -> actor.sendMessage("a", Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("timeToLive");
        }
    }
}
