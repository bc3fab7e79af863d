package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Lifetime;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.ScopeLimits;
import io.fibry.Stereotypes;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.function.Handler;
import io.fibry.testing.BlockVariable;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Messages that overtake others. */
class UrgentTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Recorder recorder = new Recorder();
    private final List<String> handled = new CopyOnWriteArrayList<>();

    private final Handler<String> handler = this::handle;

    private void handle(String message) {
        handled.add(message);
        if (message.equals("fail")) {
            throw new IllegalStateException("as wanted");
        }
    }

    private static void isThere(Actor<?, ?> actor) throws Exception {
        actor.execAndWait(() -> {
        });
    }

    @Promise("36.8")
    @EveryStrategy
    void theyComeFirstAndInTheirOrder(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            for (var policy : List.of(MailboxPolicy.unbounded(),
                    MailboxPolicy.bounded(9, OverflowPolicy.reject()))) {
                var actor = scope.anonymous().mailbox(policy).urgent(2).newActor(handler);
                try (var gate = Gate.in(actor)) {
                    assertThat(List.of("a", "b")).allMatch(actor::sendMessage);
                    assertThat(List.of("u1", "u2")).allMatch(actor::sendUrgent);
                    assertThat(actor.sendUrgent("u3")).isFalse();
                    gate.open();
                }
                isThere(actor);
                assertThat(actor.sendUrgent("u4")).isTrue();
                isThere(actor);
                assertThat(handled).containsExactly("u1", "u2", "a", "b", "u4");
                handled.clear();
                assertThat(actor.counters().refused()).isEqualTo(1);
                assertThat(actor.counters().handled()).isEqualTo(8);
                Waits.until("nothing waits", () -> actor.mailboxSize() == 0);
            }
        }
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message).containsExactly("u3",
                "u3");
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::cause).containsOnly(Cause.FULL);
    }

    @Promise("36.8")
    @EveryStrategy
    void theyTakeNoPlaceOfTheMailbox(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            for (var overflow : List.of(OverflowPolicy.fail(), OverflowPolicy.block(),
                    OverflowPolicy.dropNewest(),
                    OverflowPolicy.dropOldest())) {
                var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(2, overflow)).urgent(3)
                        .newActor(handler);
                isThere(actor);
                for (int round = 0; round < 3; round++) {
                    handled.clear();
                    try (var gate = Gate.in(actor)) {
                        assertThat(List.of("u1", "u2")).allMatch(actor::sendUrgent);
                        assertThat(List.of("a", "b")).allMatch(actor::sendMessage);
                        assertThat(actor.sendUrgent("u3")).isTrue();
                        assertThat(actor.mailboxSize()).isEqualTo(5);
                        gate.open();
                    }
                    Waits.until("all were handled", () -> handled.size() == 5);
                    assertThat(handled).containsExactly("u1", "u2", "u3", "a", "b");
                    Waits.until("nothing waits", () -> actor.mailboxSize() == 0);
                }
                assertThat(recorder.of(Undelivered.class)).isEmpty();
            }
        }
    }

    /** The lane is never empty while the old message waits. */
    @Promise("36.8")
    @EveryStrategy
    void howeverManyComeWhileAnOldMessageWaits(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var policy = MailboxPolicy.bounded(2, OverflowPolicy.reject());
            var actor = scope.anonymous().mailbox(policy).urgent(2).newActor(
                    (ActorContext<Integer, Void> context, Integer n) -> {
                        handled.add(n.toString());
                        if (n > 0) {
                            assertThat(context.self().sendUrgent(n - 1)).isTrue();
                            assertThat(context.self().mailboxSize()).isEqualTo(2);
                        } else if (n == 0) {
                            assertThat(context.self().sendMessage(-2)).isTrue();
                        }
                    });
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendMessage(-1)).isTrue();
                assertThat(actor.sendUrgent(100)).isTrue();
                gate.open();
            }
            Waits.until("all were handled", () -> handled.size() == 103);
            assertThat(handled.subList(100, 103)).containsExactly("0", "-1", "-2");
        }
        assertThat(recorder.of(Undelivered.class)).isEmpty();
    }

    @Promise("36.8")
    @EveryStrategy
    void theSizeOfAnUnboundedMailboxHasThem(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().urgent(3).newActor(handler);
            for (int round = 0; round < 3; round++) {
                try (var gate = Gate.in(actor)) {
                    actor.sendMessage("a");
                    List.of("u1", "u2", "u3").forEach(actor::sendUrgent);
                    assertThat(actor.mailboxSize()).isEqualTo(4);
                    gate.open();
                }
                isThere(actor);
                Waits.until("nothing waits", () -> actor.mailboxSize() == 0);
            }
        }
    }

    @Promise({"35.1", "36.8"})
    @EveryStrategy
    void aFullLaneIsNoFullMailbox(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.named("tom").mailbox(MailboxPolicy.bounded(1, OverflowPolicy.fail())).urgent(1)
                    .newActor(handler);
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendUrgent("u1")).isTrue();
                assertThat(actor.sendUrgent("u2")).isFalse();
                assertThat(actor.sendMessage("a")).isTrue();
                assertThatThrownBy(() -> actor.sendMessage("b")).isInstanceOf(MailboxFullException.class)
                        .hasMessageContainingAll("the mailbox of actor 'tom'", "1 waiting",
                                "capacity=1", "java.lang.String", "send less");
                gate.open();
            }
        }
    }

    @Promise("36.8")
    @EveryStrategy
    void aRestartAndMessagesThatWerePutAside(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().urgent(5).stash(5)
                    .onFailure(FailurePolicy.restart(10, SECOND.multipliedBy(60)))
                    .newActor((ActorContext<String, Void> context, String message) -> {
                        if (message.equals("aside") && !handled.contains("fail")) {
                            context.stash();
                        } else {
                            handle(message);
                        }
                    });
            actor.sendMessage("aside");
            isThere(actor);
            try (var gate = Gate.in(actor)) {
                actor.sendMessage("a");
                List.of("fail", "u").forEach(actor::sendUrgent);
                gate.open();
            }
            isThere(actor);
            assertThat(handled).containsExactly("fail", "u", "aside", "a");
        }
    }

    @Promise("36.8")
    @EveryStrategy
    void atAStop(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var pill = scope.anonymous().urgent(5).newActor(handler);
            try (var gate = Gate.in(pill)) {
                pill.sendMessage("a");
                pill.sendUrgent("u");
                pill.sendPoisonPill();
                gate.open();
            }
            Waits.stopped(pill);
            assertThat(handled).containsExactly("u", "a");
            assertThat(pill.sendUrgent("late")).isFalse();
            var exit = scope.anonymous().urgent(5).newActor(handler);
            try (var gate = Gate.in(exit)) {
                exit.sendUrgent("lost");
                exit.askExit();
                gate.open();
            }
            Waits.stopped(exit);
            assertThat(exit.counters().undelivered()).isEqualTo(1);
            assertThat(handled).hasSize(2);
        }
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message).containsExactly("late",
                "lost");
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::cause)
                .containsExactly(Cause.STOPPED, Cause.STOPPED_BEFORE_TURN);
    }

    @Promise("36.8")
    @EveryStrategy
    void theSuccessorInAGroupGetsThemFirst(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var group = scope.anonymous().newGroup(GroupPolicy.oneForOne());
            group.add("tom", Lifetime.PERMANENT,
                    builder -> builder.urgent(5).onFailure(FailurePolicy.stop()).newActor(handler));
            var actor = scope.<String, Void>find(ActorName.of("tom")).orElseThrow();
            try (var gate = Gate.in(actor)) {
                actor.sendMessage("a");
                List.of("fail", "u").forEach(actor::sendUrgent);
                gate.open();
            }
            Waits.until("a was handled", () -> handled.contains("a"));
            assertThat(handled).containsExactly("fail", "u", "a");
        }
    }

    @Promise("36.8")
    @EveryStrategy
    void limitsOfTheScopeCountThem(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("limited").strategy(strategy.create()).listener(recorder)
                .limits(ScopeLimits.none().waiting(2)).open()) {
            var actor = scope.anonymous().urgent(5).newActor(handler);
            try (var gate = Gate.in(actor)) {
                assertThat(List.of("u1", "u2")).allMatch(actor::sendUrgent);
                assertThat(actor.sendUrgent("u3")).isFalse();
                gate.open();
            }
            Waits.until("both were handled", () -> handled.size() == 2);
            Waits.until("there is room", () -> actor.sendUrgent("u4"));
        }
        assertThat(recorder.of(Undelivered.class).getFirst().cause()).isEqualTo(Cause.OVERLOAD);
    }

    @Promise("36.8")
    @EveryStrategy
    void withKeysTheyOvertakeTheMessagesOfTheirKey(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var keyed = scope.anonymous().urgent(2)
                    .<Character, String>keyed(message -> message.charAt(0)).idle(Duration.ofHours(1))
                    .newActorsFrom(key -> handler);
            assertThat(keyed.sendUrgent("b, which makes the actor")).isTrue();
            Waits.until("it was handled", () -> !handled.isEmpty());
            handled.clear();
            assertThat(keyed.sendMessage("a0")).isTrue();
            Waits.until("it was handled", () -> !handled.isEmpty());
            try (var gate = Gate.in(keyed.find('a').orElseThrow())) {
                assertThat(keyed.sendMessage("a1")).isTrue();
                assertThat(List.of("a-u1", "a-u2")).allMatch(keyed::sendUrgent);
                assertThat(keyed.sendUrgent("a-u3")).isFalse();
                gate.open();
            }
            Waits.until("all were handled", () -> handled.size() == 4);
            assertThat(handled).containsExactly("a0", "a-u1", "a-u2", "a1");
            keyed.close();
            assertThat(keyed.sendUrgent("late")).isFalse();
            assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::cause)
                    .containsExactly(Cause.FULL, Cause.STOPPED);
            var plain = scope.named("plain")
                    .<Character, String>keyed(message -> message.charAt(0)).idle(Duration.ofHours(1))
                    .newActorsFrom(key -> handler);
            assertThatThrownBy(() -> plain.sendUrgent("a")).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'plain'").hasMessageContaining("urgent(capacity)");
            assertThat(plain.live()).as("no actor was made").isZero();
        }
    }

    @Promise("36.8")
    @Test
    void misuseIsRefusedWithTheRemedy() {
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            var plain = scope.named("plain").newActor(handler);
            assertThatThrownBy(() -> plain.sendUrgent("a")).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'plain'").hasMessageContaining("urgent(capacity)");
            var builder = scope.named("tom").urgent(1);
            assertThatThrownBy(() -> builder.newReceivingActor((ReceivingContext<String> context) -> {
            })).isInstanceOf(IllegalStateException.class).hasMessageContaining("cannot have urgent")
                    .hasMessageContaining("'tom'");
            assertThatThrownBy(() -> builder.newGroup(GroupPolicy.oneForOne()))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("members");
            assertThatThrownBy(() -> Stereotypes.with(builder).workers((String message) -> {
            })).isInstanceOf(IllegalStateException.class).hasMessageContaining("workers");
            assertThatThrownBy(() -> scope.anonymous().urgent(0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** They were sent where nothing was bound, and do not fit the stack of the one that asks. */
    @Promise("36.8")
    @EveryStrategy
    void theyKeepTheirOrderAlthoughTheyNeedAnotherStack(Strategy strategy) throws Exception {
        var tenant = new BlockVariable.Made();
        try (var scope = Scopes.configure().strategy(strategy.create()).carry(tenant.carrier()).open()) {
            Actor<String, String> back = scope.anonymous().urgent(4).newActorWithReturn((String message) -> {
                handled.add(message + tenant.value());
                return message;
            });
            var front = scope.anonymous().newActorWithReturn((String message) -> {
                var last = back.sendMessageReturn("last ");
                back.sendUrgent("first ");
                back.sendUrgent("second ");
                tenant.run("mallory", last::join);
                return message;
            });
            for (int i = 0; i < 20; i++) {
                handled.clear();
                Waits.on(front.sendMessageReturn("ask"));
                isThere(back);
                assertThat(handled.subList(handled.indexOf("first null"), handled.size()))
                        .containsSubsequence("first null", "second null");
                assertThat(handled).hasSize(3);
            }
        }
    }
}
