package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.Lifetime;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.ScopeLimits;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.function.ContextReplyHandler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that a handler puts aside. */
class StashTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final AtomicBoolean open = new AtomicBoolean();
    private final AtomicReference<ActorContext<String, String>> context = new AtomicReference<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private final ContextReplyHandler<String, String> waiting = this::handle;

    /** Puts aside all but "open" and "fail" until it is open. */
    private String handle(ActorContext<String, String> context, String message) {
        this.context.set(context);
        switch (message) {
            case "open" -> {
                open.set(true);
                context.unstashAll();
            }
            case "fail" -> {
                open.set(true);
                throw new IllegalStateException("as wanted");
            }
            default -> {
                if (!open.get()) {
                    context.stash();
                    return "ignored";
                }
            }
        }
        handled.add(message);
        return message;
    }

    private Actor<String, String> door(ActorBuilder builder) {
        return builder.stash(10).newActorWithReturn(waiting);
    }

    private static void isThere(Actor<?, ?> actor) throws Exception {
        actor.execAndWait(() -> {
        });
    }

    @Promise("36.1")
    @EveryStrategy
    void theOldestOneIsDroppedToMakeRoom(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var dropped = new CopyOnWriteArrayList<Optional<String>>();
            var actor = scope.named("door").stash(1)
                    .newActorWithReturn((ActorContext<String, String> me, String message) -> {
                        if (message.equals("open")) {
                            open.set(true);
                            me.unstashAll();
                        } else if (!open.get()) {
                            dropped.add(me.dropOldestStashed());
                            me.stash();
                            return "ignored";
                        }
                        handled.add(message);
                        return message;
                    });
            var first = actor.sendMessageReturn("a");
            actor.sendMessage("b");
            assertThat(Waits.failure(first)).isInstanceOf(MailboxFullException.class)
                    .hasMessageContainingAll("actor 'door'", "java.lang.String", "put aside");
            actor.sendMessage("open");
            assertThat(Waits.on(actor.sendMessageReturn("c"))).isEqualTo("c");
            assertThat(dropped).containsExactly(Optional.empty(), Optional.of("a"));
            assertThat(handled).containsExactly("open", "b", "c");
            assertThat(actor.counters().dropped()).isOne();
            assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::cause)
                    .containsExactly(Cause.DROPPED_OLDEST);
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void theyComeBackInOrderBeforeThoseThatWait(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = door(scope.named("door"));
            var first = actor.sendMessageReturn("a");
            actor.sendMessage("b");
            isThere(actor);
            assertThat(first).isNotDone();
            assertThat(actor.mailboxSize()).isZero();
            assertThat(actor.toString()).endsWith(", 0 waiting, 2 put aside]");
            try (var gate = Gate.in(actor)) {
                List.of("open", "c").forEach(actor::sendMessage);
                gate.open();
            }
            assertThat(Waits.on(first)).isEqualTo("a");
            isThere(actor);
            assertThat(handled).containsExactly("open", "a", "b", "c");
            assertThat(actor.counters().total()).isEqualTo(actor.counters().handled());
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void theMessageItselfComesLast(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().stash(10)
                    .newActor((ActorContext<String, Void> context, String message) -> {
                        if (handled.contains(message)) {
                            handled.add("again " + message);
                            return;
                        }
                        handled.add(message);
                        context.stash();
                        if (message.equals("c")) {
                            context.unstashAll();
                        }
                    });
            List.of("a", "b", "c").forEach(actor::sendMessage);
            isThere(actor);
            assertThat(handled).containsExactly("a", "b", "c", "again a", "again b", "again c");
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void anAskThatWasPutAsideExpiresAndCanBeCancelled(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.named("door").stash(2).newActorWithReturn(waiting);
            var late = actor.ask("late", SECOND);
            var cancelled = actor.sendMessageReturn("cancelled");
            isThere(actor);
            time.advance(SECOND);
            assertThat(Waits.failure(late)).isInstanceOf(AskTimeoutException.class)
                    .hasMessageContaining("its handler has put it aside, as one of 2 messages");
            assertThat(cancelled.cancel(true)).isTrue();
            var next = actor.sendMessageReturn("a"); // those that are over take no place
            actor.sendMessage("b");
            actor.sendMessage("open");
            assertThat(Waits.on(next)).isEqualTo("a");
            isThere(actor);
            assertThat(handled).containsExactly("open", "a", "b");
            assertThat(actor.counters().expired()).isEqualTo(2);
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void noMoreThanTheCapacityArePutAside(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.named("door").stash(1).newActorWithReturn(waiting);
            var kept = actor.sendMessageReturn("a");
            assertThat(Waits.failure(actor.sendMessageReturn("b"))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'door'").hasMessageContaining("1 messages")
                    .hasMessageContaining("unstashAll");
            actor.sendMessage("open");
            assertThat(Waits.on(kept)).isEqualTo("a");
            assertThat(recorder.of(Failed.class)).hasSize(1);
        }
    }

    @Promise("36.1")
    @Test
    void misuseIsRefusedWithTheRemedy() throws Exception {
        try (var scope = scope(Strategy.FIBERS)) {
            var plain = scope.named("plain").newActorWithReturn(waiting);
            assertThat(Waits.failure(plain.sendMessageReturn("a"))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'plain'").hasMessageContaining("stash(capacity)");
            var inside = new AtomicReference<ActorContext<String, Void>>();
            var twice = scope.named("twice").stash(1)
                    .newActor((ActorContext<String, Void> context, String message) -> {
                        inside.set(context);
                        context.stash();
                        context.stash();
                    });
            twice.sendMessage("a");
            assertThat(recorder.await(Failed.class, 2).getLast().cause()).hasMessageContaining("once");
            assertThatThrownBy(() -> twice.execAndWait(() -> inside.get().stash()))
                    .hasRootCauseMessage(
                            "actor 'twice' handles no message that it could put aside: stash() is for its"
                                    + " handler, not for code given to the actor, hooks or factories");
            assertThatThrownBy(() -> inside.get().stash()).hasMessageContaining("outside its handler");
            assertThatThrownBy(() -> scope.anonymous().stash(0)).isInstanceOf(IllegalArgumentException.class);
            var builder = scope.anonymous().stash(1);
            assertThatThrownBy(() -> builder.newReceivingActor((ReceivingContext<String> context) -> {
            })).isInstanceOf(IllegalStateException.class).hasMessageContaining("receive");
            assertThatThrownBy(() -> builder.newGroup(GroupPolicy.oneForOne()))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("members");
            assertThatThrownBy(() -> Stereotypes.with(builder).workers((String message) -> {
            })).isInstanceOf(IllegalStateException.class).hasMessageContaining("workers");
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void aMessageThatFailsIsNotPutAside(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().stash(1)
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        context.stash();
                        throw new IllegalStateException("as wanted");
                    });
            assertThat(Waits.failure(actor.sendMessageReturn("a"))).hasMessage("as wanted");
            assertThat(Waits.failure(actor.sendMessageReturn("b"))).hasMessage("as wanted");
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void aMessageWhoseReplyIsDeferredIsNotPutAside(Strategy strategy) throws Exception {
        for (var calls : List.of("dsu", "dus", "sdu", "sud", "uds", "usd")) {
            handled.clear();
            open.set(false);
            try (var scope = scope(strategy)) {
                var actor = scope.named("door").stash(9)
                        .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                            if (!message.equals("odd")) {
                                return handle(context, message);
                            }
                            for (var call : calls.toCharArray()) {
                                switch (call) {
                                    case 'd' -> context.deferReply();
                                    case 's' -> context.stash();
                                    default -> context.unstashAll();
                                }
                            }
                            return "";
                        });
                var first = actor.sendMessageReturn("a");
                assertThat(Waits.failure(actor.sendMessageReturn("odd"))).as(calls)
                        .isInstanceOf(IllegalStateException.class).hasMessageContaining("'door'")
                        .hasMessageContaining("do one of the two");
                List.of("b", "c").forEach(actor::sendMessage);
                isThere(actor);
                assertThat(handled).as(calls).isEmpty();
                assertThat(actor.toString()).as(calls).contains("3 put aside");
                actor.sendMessage("open");
                assertThat(Waits.on(first)).isEqualTo("a");
                isThere(actor);
                assertThat(handled).as(calls).containsExactly("open", "a", "b", "c");
                assertThat(actor.counters().failed()).isEqualTo(1);
            }
        }
        assertThat(recorder.of(Failed.class)).hasSize(6);
    }

    @Promise("36.1")
    @EveryStrategy
    void aRestartPutsThemInFront(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = door(scope.anonymous().onFailure(FailurePolicy.restart(3, SECOND)));
            var first = actor.sendMessageReturn("a");
            List.of("b", "fail", "c").forEach(actor::sendMessage);
            assertThat(Waits.on(first)).isEqualTo("a");
            isThere(actor);
            assertThat(handled).containsExactly("a", "b", "c");
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void atAStopTheyAreUndelivered(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            for (var stop : List.<java.util.function.Consumer<Actor<?, ?>>>of(Actor::askExit,
                    Actor::sendPoisonPill,
                    actor -> actor.stop(SECOND), actor -> actor.stop(Duration.ZERO))) {
                var actor = door(scope.anonymous());
                var asked = actor.sendMessageReturn("a");
                actor.sendMessage("b");
                Waits.until("it is idle",
                        () -> actor.counters().total() == 0 && actor.toString().contains("2 put aside")
                                && actor.toString().contains("IDLE"));
                stop.accept(actor);
                Waits.stopped(actor);
                assertThat(Waits.failure(asked)).isInstanceOf(ActorStoppedException.class);
                assertThat(actor.counters().undelivered()).isEqualTo(2);
            }
            assertThat(handled).isEmpty();
        }
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message)
                .containsExactly("a", "b", "a", "b", "a", "b", "a", "b");
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::cause)
                .containsOnly(Cause.STOPPED_BEFORE_TURN);
    }

    @Promise("36.1")
    @EveryStrategy
    void thoseThatAreTakenBackBeforeThePillAreHandled(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = door(scope.anonymous());
            List.of("a", "b", "open").forEach(actor::sendMessage);
            actor.close();
            assertThat(handled).containsExactly("open", "a", "b");
        }
        assertThat(recorder.of(Undelivered.class)).isEmpty();
    }

    @Promise("36.1")
    @EveryStrategy
    void anActorWithThemIsIdle(Strategy strategy) throws Exception {
        var scope = scope(strategy);
        var actor = door(scope.anonymous().stopWhenIdle(SECOND));
        actor.sendMessage("a");
        isThere(actor);
        Waits.soon().until(() -> {
            time.advance(SECOND);
            return actor.waitForExit(Duration.ZERO);
        });
        door(scope.anonymous()).sendMessage("b");
        assertThat(scope.stop(SECOND).stopped()).as("the drain waits for no message that was put aside")
                .isTrue();
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message).containsExactly("a", "b");
    }

    @Promise("36.1")
    @EveryStrategy
    void theSuccessorInAGroupGetsThem(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var group = scope.anonymous().newGroup(GroupPolicy.oneForOne());
            group.add("door", Lifetime.PERMANENT, this::door);
            var actor = scope.<String, String>find(ActorName.of("door")).orElseThrow();
            var first = actor.sendMessageReturn("a");
            actor.sendMessage("b");
            isThere(actor);
            actor.sendMessage("fail");
            assertThat(Waits.on(first)).isEqualTo("a");
            Waits.until("b was handled", () -> handled.size() == 2);
            assertThat(handled).containsExactly("a", "b");
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void aMailboxHoldsItsCapacityBesideThem(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = door(scope.anonymous().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.reject())));
            List.of("a", "b", "c").forEach(message -> {
                assertThat(actor.sendMessage(message)).isTrue();
                Waits.until("it was put aside", () -> actor.mailboxSize() == 0);
            });
            actor.sendMessage("open");
            Waits.until("all were handled", () -> handled.size() == 4); // until then they fill the mailbox
            assertThat(handled).containsExactly("open", "a", "b", "c");
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void theyKeepTheirPlacesOfALimit(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("limited").strategy(strategy.create()).listener(recorder)
                .limits(ScopeLimits.none().waiting(2)).open()) {
            var actor = door(scope.anonymous());
            assertThat(actor.sendMessage("a")).isTrue();
            Waits.until("it was put aside", () -> actor.toString().contains("1 put aside"));
            assertThat(actor.sendMessage("open")).isTrue();
            Waits.until("both were handled", () -> handled.size() == 2);
            open.set(false);
            Waits.until("there is room", () -> actor.sendMessage("b"));
            Waits.until("it was put aside", () -> actor.toString().contains("1 put aside"));
            Waits.until("there is room", () -> actor.sendMessage("c"));
            Waits.until("it was put aside", () -> actor.toString().contains("2 put aside"));
            assertThat(actor.sendMessage("d")).as("the places of b and c are taken").isFalse();
            actor.stop(SECOND);
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void actorsByKeyAndChildrenPutMessagesAside(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var doors = scope.anonymous().stash(10).<String, String>keyed(message -> "one")
                    .idle(Duration.ofHours(1))
                    .<String>newActorsWithReturnFrom(key -> waiting);
            var first = doors.sendMessageReturn("a");
            doors.sendMessage("open");
            assertThat(Waits.on(first)).isEqualTo("a");
            open.set(false);
            var parent = scope.anonymous().newActorWithReturn(
                    (ActorContext<String, Actor<String, String>> context,
                            String message) -> door(context.child()));
            var child = Waits.on(parent.sendMessageReturn("make"));
            var second = child.sendMessageReturn("b");
            child.sendMessage("open");
            assertThat(Waits.on(second)).isEqualTo("b");
        }
    }

    @Promise("36.1")
    @EveryStrategy
    void ticksCanBePutAside(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().stash(10)
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        if (message.equals("start")) {
                            context.timers().set("key", Schedule.once(SECOND), "tick");
                            return "";
                        }
                        return handle(context, message);
                    });
            Waits.on(actor.sendMessageReturn("start"));
            time.advance(SECOND);
            isThere(actor);
            actor.sendMessage("open");
            isThere(actor);
            assertThat(handled).containsExactly("open", "tick");
        }
    }

    @Promise("36.1")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void anActorThatAbandonsHandlersPutsMessagesAside(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var builder =
                    scope.anonymous().abandonStuck(Duration.ofMillis(20), Duration.ofMillis(1)).stash(10);
            var later = new CopyOnWriteArrayList<Throwable>();
            var stuck = new java.util.concurrent.CountDownLatch(1);
            var actor = builder.newActorWithReturn((ActorContext<String, String> context, String message) -> {
                if (message.equals("stuck")) {
                    context.stash();
                    while (stuck.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    try {
                        context.unstashAll();
                    } catch (HandlerAbandonedException abandoned) {
                        later.add(abandoned);
                    }
                }
                return handle(context, message);
            });
            var first = actor.sendMessageReturn("a");
            assertThat(Waits.failure(actor.sendMessageReturn("stuck")))
                    .isInstanceOf(HandlerAbandonedException.class);
            stuck.countDown();
            Waits.until("the abandoned handler has tried", () -> later.size() == 1);
            assertThat(first).isNotDone();
            actor.sendMessage("open");
            assertThat(Waits.on(first)).isEqualTo("a");
            assertThat(handled).containsExactly("open", "a");
        }
    }

    @Promise("11.3")
    @EveryStrategy
    void anAskThatWasTakenBackIsQueuedAndItsHandlerDoesNotRun(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.named("door").stash(2).newActorWithReturn(waiting);
            var ask = actor.ask("late", SECOND);
            isThere(actor);
            var inside = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var busy = Thread.startVirtualThread(() -> actor.execAsync(() -> {
                context.get().unstashAll();
                inside.countDown();
                goOn.await();
            }));
            Waits.on(inside);
            time.advance(SECOND);
            assertThat(Waits.failure(ask)).isInstanceOf(AskTimeoutException.class)
                    .hasMessageContaining("is not running yet").hasMessageNotContaining("has been running");
            goOn.countDown();
            Waits.on(busy);
        }
    }
}
