package io.fibry.context;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.ScopeBuilder;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.slf4j.MDC;

class ContextTest {
    private static final ThreadLocal<String> USER = new ThreadLocal<>();

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @AfterEach
    void nothingIsLeftOnThisThread() {
        is(null);
    }

    private static ScopeBuilder carrying(Strategy strategy) {
        return ActorSystem.configure("test").strategy(strategy.create()).listener(event -> {
        }).carry(ContextCarrier.of(USER)).carry(ContextCarrier.mdc());
    }

    /** Says who it is, to both carriers. */
    private static void is(String user) {
        if (user == null) {
            USER.remove();
            MDC.remove("user");
        } else {
            USER.set(user);
            MDC.put("user", user);
        }
    }

    private static String who() {
        return USER.get() + "/" + MDC.get("user");
    }

    private void note() {
        seen.add(who());
    }

    private void assertSeen(String... users) throws InterruptedException {
        for (var user : users) {
            assertThat(seen.poll(Patience.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(user + "/" + user);
        }
        assertThat(seen).isEmpty();
    }

    @Promise("23.1")
    @EveryStrategy
    void whatTheSenderHadIsThereInTheHandler(Strategy strategy) throws Exception {
        for (var how : List.<UnaryOperator<ActorBuilder>>of(builder -> builder, ActorBuilder::runByCallers,
                builder -> builder.mailbox(MailboxPolicy.bounded(100, OverflowPolicy.block())))) {
            try (var scope = carrying(strategy).open()) {
                var actor = how.apply(scope.named("a")).newActorWithReturn((String message) -> {
                    note();
                    return message;
                });
                try (var gate = Gate.in(actor)) {
                    is("alice");
                    actor.sendMessage("x");
                    actor.sendMessageReturn("x");
                    is("bob");
                    actor.ask("x", ofSeconds(60));
                    actor.execute(this::note);
                    is("carol");
                    actor.execAsync(this::note);
                    scope.sendOrKeep(ActorName.of("a"), "x", 0);
                    is(null);
                    actor.sendMessage("x");
                    is("dora");
                    gate.open();
                }
                actor.apply("x");
                actor.sendMessageReturnWait("x");
                actor.execAndWait(this::note);
                assertThat(who()).as("the sender has its own").isEqualTo("dora/dora");
                assertSeen("alice", "alice", "bob", "bob", "carol", "carol", "null", "dora", "dora", "dora");
            }
        }
    }

    @Promise("23.1")
    @EveryStrategy
    void whatTheHandlerSendsTakesItOn(Strategy strategy) throws Exception {
        try (var scope = carrying(strategy).open()) {
            var back = scope.anonymous().newActorWithReturn((String message) -> who());
            var front = scope.anonymous().newActorWithReturn((String message) -> back.apply(message));
            is("alice");
            var alice = front.sendMessageReturn("x");
            is("bob");
            var bob = front.sendMessageReturn("x");
            assertThat(Waits.on(alice)).isEqualTo("alice/alice");
            assertThat(Waits.on(bob)).isEqualTo("bob/bob");
        }
    }

    @Promise("23.1")
    @EveryStrategy
    void whatAHandlerLeavesIsTakenAway(Strategy strategy) throws Exception {
        try (var scope = carrying(strategy).open()) {
            var actor = scope.anonymous().newActorWithReturn((String message) -> {
                note();
                is("mallory");
                if (message.equals("throw")) {
                    throw new IllegalStateException("on purpose");
                }
                return message;
            });
            is("alice");
            for (var message : List.of("x", "throw", "x")) {
                actor.sendMessage(message);
                Waits.on(actor.sendMessageReturn(message).handle((value, failure) -> true));
                assertThat(who()).isEqualTo("alice/alice");
            }
            is(null);
            Waits.on(actor.sendMessageReturn("x"));
            assertThat(who()).isEqualTo("null/null");
            assertSeen("alice", "alice", "alice", "alice", "alice", "alice", "null");
        }
    }

    @Promise("23.1")
    @EveryStrategy
    void whoRunsOnTheStackOfAnotherHasItsOwn(Strategy strategy) throws Exception {
        try (var scope = carrying(strategy).open()) {
            var upper = scope.anonymous().newActorWithReturn((String message) -> {
                note();
                return message;
            });
            var lower = scope.anonymous().newActorWithReturn((String message) -> {
                is(null);
                upper.sendMessage("nobody's");
                is("alice");
                upper.apply("alice's");
                return who();
            });
            is("bob");
            assertThat(Waits.on(lower.sendMessageReturn("x"))).isEqualTo("alice/alice");
            assertThat(who()).isEqualTo("bob/bob");
            assertSeen("null", "alice");
        }
    }

    @Promise("23.4")
    @EveryStrategy
    void timersHaveThatOfWhoSetThem(Strategy strategy) throws Exception {
        try (var scope = carrying(strategy).open()) {
            var actor = scope.anonymous().newActor((ActorContext<String, Void> context, String message) -> {
                if (message.equals("set")) {
                    context.timers().once("tick", ofSeconds(0), "tick");
                } else {
                    note();
                }
            });
            is("alice");
            actor.sendMessage("set");
            is(null);
            assertSeen("alice");
        }
    }

    @Promise("23.4")
    @EveryStrategy
    void aReceivedMessageHasItsOwnUntilTheNext(Strategy strategy) throws Exception {
        try (var scope = carrying(strategy).open()) {
            is("maker");
            var actor = scope.anonymous().newReceivingActor((ReceivingContext<String> context) -> {
                note();
                context.receive();
                note();
                context.receive();
                note();
                context.receive(message -> false, Duration.ZERO);
                note();
            });
            is("alice");
            actor.sendMessage("x");
            is(null);
            actor.sendMessage("y");
            is("bob");
            Waits.stopped(actor);
            assertSeen("maker", "alice", "null", "maker");
            assertThat(who()).isEqualTo("bob/bob");
        }
    }

    @Promise("23.4")
    @EveryStrategy
    void inTheMiddleOfAHandlerToo(Strategy strategy) throws Exception {
        try (var scope = carrying(strategy).open()) {
            var actor =
                    scope.anonymous().newReceivingActor((ReceivingContext<String> context, String first) -> {
                        note();
                        context.receive();
                        note();
                    });
            is("alice");
            actor.execAsync(this::note);
            try (var gate = Gate.in(actor)) {
                actor.sendMessage("x");
                is("bob");
                actor.sendMessageReturn("y");
                is(null);
                gate.open();
            }
            actor.close();
            assertSeen("alice", "alice", "bob");
        }
    }

    @Promise("23.4")
    @EveryStrategy
    void aKeptMessageHasThatOfItsSender(Strategy strategy) throws Exception {
        try (var scope = carrying(strategy).open()) {
            is("alice");
            scope.sendOrKeep(ActorName.of("late"), "x", 10);
            is("maker");
            scope.named("late").newActor((String message) -> note());
            assertSeen("alice");
        }
    }

    @Promise("23.5")
    @EveryStrategy
    void scopesInsideCarryWhatThoseAroundCarry(Strategy strategy) throws Exception {
        var other = new ThreadLocal<String>();
        try (var scope = carrying(strategy).open();
                var inner = scope.child("inner").carry(ContextCarrier.of(other)).open()) {
            is("alice");
            other.set("more");
            assertThat(inner.anonymous().newActorWithReturn((String message) -> who() + "/" + other.get())
                    .apply("x")).isEqualTo("alice/alice/more");
            var outer = scope.anonymous().newActorWithReturn((String message) -> who() + "/" + other.get());
            assertThat(Waits.on(outer.sendMessageReturn("x"))).startsWith("alice/alice/");
        } finally {
            other.remove();
        }
    }

    @Promise("23.5")
    @EveryStrategy
    void whatATakenBackMessageCarriesIsGarbage(Strategy strategy) throws Exception {
        var span = new ThreadLocal<Object>();
        try (var scope = ActorSystem.configure("test").strategy(strategy.create())
                .carry(ContextCarrier.of(span)).open()) {
            var actor = scope.anonymous().newActorWithReturn((String message) -> message);
            try (var gate = Gate.in(actor)) {
                var value = new AtomicReference<>(new Object());
                span.set(value.get());
                var ask = actor.sendMessageReturn("x");
                span.remove();
                ask.cancel(false);
                var watched = new WeakReference<>(value.getAndSet(null));
                Garbage.is(watched);
                gate.open();
            }
        }
    }
}
