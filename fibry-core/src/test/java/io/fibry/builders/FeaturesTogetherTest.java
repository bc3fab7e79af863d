package io.fibry.builders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.message.MessageFate;
import io.fibry.testing.Aside;
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
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Assumptions;

/** Features that meet in one actor: what each of them promises holds beside the others. */
class FeaturesTogetherTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final Recorder events = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<String> trace = new CopyOnWriteArrayList<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, events, time);
    }

    private static void isThere(Actor<?, ?> actor) throws Exception {
        actor.execAndWait(() -> {
        });
    }

    private void handle(String message) {
        trace.add(message);
        if (message.contains("fail")) {
            throw new IllegalStateException("as wanted");
        }
    }

    /** An actor that is restarted keeps its name, during the pause as well, and its hooks do not belong to a new actor. */
    @Promise({"28.1", "28.3", "33.4"})
    @EveryStrategy
    void aNameOutlivesARestart(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var policy = FailurePolicy.restart(9, Duration.ofMinutes(1)).withBackoff(SECOND, SECOND, 0);
            var tom = scope.named("tom").onFailure(policy).onStart(() -> trace.add("start"))
                    .onExit(() -> trace.add("exit")).newActor(this::handle);
            tom.sendMessage("fail");
            Waits.until("the pause before its restart", () -> time.pending() > 0);
            assertThat(scope.names()).containsExactly("tom");
            assertThat(scope.<String, Void>findOrMake(ActorName.of("tom"), builder -> {
                throw new AssertionError("there is one");
            })).isSameAs(tom);
            assertThat(scope.sendOrKeep(ActorName.of("tom"), "next", 0)).isTrue();
            time.advance(SECOND);
            isThere(tom);
            assertThat(trace).containsExactly("start", "fail", "start", "next");
            tom.close();
            assertThat(scope.names()).isEmpty();
        }
        assertThat(trace).endsWith("next", "exit").hasSize(5);
    }

    /** The timers of the first life do not tick in the second one, and none ticks after the stop. */
    @Promise({"20.2", "36.1"})
    @EveryStrategy
    void ticksThatWerePutAsideMeetARestartAndAStop(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().stash(9).onFailure(FailurePolicy.restart())
                    .newActor((ActorContext<String, Void> context, String message) -> {
                        if (message.equals("set")) {
                            context.timers().once("tick", SECOND, "tick");
                        } else if (message.equals("tick") && trace.isEmpty()) {
                            context.stash();
                        } else {
                            handle(message);
                        }
                    });
            actor.sendMessage("set");
            isThere(actor);
            time.advance(SECOND);
            isThere(actor);
            assertThat(trace).isEmpty();
            actor.sendMessage("fail");
            isThere(actor);
            assertThat(trace).containsExactly("fail", "tick");
            actor.sendMessage("set");
            actor.close();
            time.advance(SECOND.multipliedBy(9));
            assertThat(trace).hasSize(2);
        }
    }

    @Promise({"35.1", "36.6", "36.8"})
    @EveryStrategy
    void whatWaitsForAHeldActorExpiresAndUrgentMessagesComeFirst(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy != Strategy.CALLER, "the code would run on the thread of this test");
        try (var scope = scope(strategy)) {
            var one = scope.anonymous().urgent(2).newActor(this::handle);
            var other = scope.anonymous().newActor(this::handle);
            var held = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var code = Aside.run(() -> one.hold(() -> other.hold(() -> {
                held.countDown();
                Waits.on(go);
                return trace.add("code");
            }, HOUR), HOUR));
            Waits.on(held);
            var expired = one.sendTracked("short", SECOND);
            var late = other.sendTracked("short too", SECOND);
            one.sendMessage("long", SECOND.multipliedBy(3));
            assertThat(one.sendUrgent("urgent")).isTrue();
            time.advance(SECOND);
            assertThat(expired).isNotDone();
            go.countDown();
            assertThat(Waits.on(code)).isEqualTo(true);
            assertThat(Waits.on(expired)).isInstanceOf(MessageFate.Expired.class);
            assertThat(Waits.on(late)).isInstanceOf(MessageFate.Expired.class);
            isThere(one);
            assertThat(trace).containsExactly("code", "urgent", "long");
            assertThat(one.counters().expired()).isEqualTo(1);
        }
    }

    /** The program of a door: what comes too early waits inside, an urgent message opens, and another handler goes on. */
    @Promise({"36.1", "36.5", "36.8"})
    @EveryStrategy
    void anUrgentMessageOpensAndWhatWasPutAsideComesFirst(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var door = scope.named("door").mailbox(MailboxPolicy.bounded(2, OverflowPolicy.fail())).urgent(1)
                    .stash(9)
                    .newActor((ActorContext<String, Void> context, String message) -> {
                        if (message.equals("open")) {
                            context.become((inside, next) -> handle(next));
                            context.unstashAll();
                        } else {
                            context.stash();
                        }
                    });
            for (var early : List.of("a", "b", "c", "d")) {
                assertThat(door.sendMessage(early)).isTrue();
                isThere(door);
            }
            try (var gate = Gate.in(door)) {
                assertThat(door.sendUrgent("open")).isTrue();
                assertThat(List.of("e", "f")).as("the urgent message takes no place")
                        .allMatch(door::sendMessage);
                assertThatThrownBy(() -> door.sendMessage("g")).isInstanceOf(MailboxFullException.class)
                        .hasMessageContainingAll("'door'", "2 waiting", "capacity=2", "send less");
                gate.open();
            }
            Waits.until("all were handled", () -> trace.size() == 6);
            assertThat(trace).containsExactly("a", "b", "c", "d", "e", "f");
            Waits.until("there is room again", () -> door.mailboxSize() == 0);
            assertThat(door.sendMessage("h")).isTrue();
        }
        assertThat(trace).endsWith("h");
        assertThat(events.of(Undelivered.class)).extracting(Undelivered::message).containsExactly("g");
    }
}
