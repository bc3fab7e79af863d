package io.fibry.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.Counters;
import io.fibry.ReceivingContext;
import io.fibry.ReceivingReplyContext;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.event.Failed;
import io.fibry.message.DeferredReply;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;

class ReceivingReplyTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private record Double(int number) implements Request<Integer> {
    }

    private final Recorder events = new Recorder();

    @Promise("34.11")
    @EveryStrategy
    void aBodyRepliesToTheMessagesThatItTakes(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var goOn = new CountDownLatch(1);
            var seconds = new CompletableFuture<Boolean>();
            Actor<String, String> actor = scope.anonymous()
                    .newReceivingActorWithReturn((ReceivingReplyContext<String, String> inbox) -> {
                        assertThatThrownBy(() -> inbox.reply("none"))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("has taken no message");
                        assertThatThrownBy(inbox::deferReply).isInstanceOf(IllegalStateException.class);
                        var first = inbox.receive();
                        assertThat(inbox.reply(first + "!")).isTrue();
                        seconds.complete(inbox.reply("again"));
                        goOn.await(); // the asker has its answer before the body goes on
                        var wanted = inbox.receive(m -> m.startsWith("w"), LONG);
                        inbox.reply(wanted.orElseThrow().toUpperCase());
                        assertThat(inbox.receive(String.class)).isEqualTo("told");
                        assertThat(inbox.reply("to a tell")).isFalse();
                    });
            assertThat(Waits.on(actor.sendMessageReturn("one"))).isEqualTo("one!");
            assertThat(Waits.on(seconds)).isFalse();
            actor.sendMessage("told");
            var wanted = actor.ask("wanted", LONG);
            goOn.countDown();
            assertThat(Waits.on(wanted)).isEqualTo("WANTED");
            Waits.stopped(actor);
            assertThat(actor.counters()).isEqualTo(new Counters(3, 0, 0, 0, 0, 0));
            assertThat(events.of(Failed.class)).isEmpty();
        }
    }

    /** Else the handler, on top of that of its asker on a stack, would hold up the one that sends what it waits for. */
    @Promise("34.11")
    @EveryStrategy
    void anAskerGoesOnWhileTheHandlerThatHasAnsweredItReceives(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the asker runs the handler");
        try (var scope = Scopes.on(strategy, events)) {
            Actor<String, String> actor = scope.anonymous().newReceivingActorWithReturn(
                    (ReceivingReplyContext<String, String> inbox, String message) -> {
                        inbox.reply(message + "!");
                        assertThat(inbox.receive()).isEqualTo("next");
                        return "ignored";
                    });
            var asker = scope.anonymous().newActorWithReturn((Integer rounds) -> {
                for (int i = 0; i < rounds; i++) { // another thread may run the first ones
                    assertThat(actor.sendMessageReturn("one").get()).isEqualTo("one!");
                    actor.sendMessage("next");
                }
                return rounds;
            });
            assertThat(Waits.on(asker.sendMessageReturn(100))).isEqualTo(100);
        }
        assertThat(events.of(Failed.class)).isEmpty();
    }

    @Promise("34.11")
    @EveryStrategy
    void aHandlerAnswersItsOwnMessageAndThoseThatItTakes(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newReceivingActorWithReturn(
                    (ReceivingReplyContext<String, String> inbox, String message) -> {
                        if (message.equals("early")) {
                            assertThat(inbox.reply("was early")).isTrue();
                            return "ignored";
                        }
                        var other = inbox.receive();
                        inbox.reply(message + " before " + other);
                        return message + " is done";
                    });
            var gate = Gate.in(actor);
            var first = actor.sendMessageReturn("a");
            var second = actor.sendMessageReturn("b");
            var third = actor.sendMessageReturn("early");
            gate.close();
            assertThat(Waits.on(first)).isEqualTo("a is done");
            assertThat(Waits.on(second)).isEqualTo("a before b");
            assertThat(Waits.on(third)).isEqualTo("was early");
        }
    }

    @Promise("34.11")
    @EveryStrategy
    void anAskThatIsTakenAndNotAnsweredFails(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            Actor<String, String> actor = scope.anonymous()
                    .newReceivingActorWithReturn((ReceivingReplyContext<String, String> inbox) -> {
                        inbox.receive();
                        inbox.receive();
                    });
            var first = actor.sendMessageReturn("a");
            assertThat(Waits.failure(actor.sendMessageReturn("b"))).isInstanceOf(IllegalStateException.class);
            assertThat(Waits.failure(first)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(actor.toString().split("[\\[,]")[1])
                    .hasMessageContaining("a message of java.lang.String")
                    .hasMessageContaining("call reply(…)");
            Waits.stopped(actor);
            assertThat(actor.counters()).isEqualTo(new Counters(0, 2, 0, 0, 0, 0));
            assertThat(events.of(Failed.class)).hasSize(2);
        }
    }

    @Promise("34.11")
    @EveryStrategy
    void anActorWithoutAnswersSaysThatItHasHandledTheMessage(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            Actor<String, Void> actor =
                    scope.anonymous().newReceivingActor((ReceivingContext<String> inbox) -> {
                        inbox.receive();
                        inbox.receive();
                    });
            var first = actor.sendMessageReturn("a");
            assertThat(Waits.on(actor.sendMessageReturn("b"))).isNull();
            assertThat(Waits.on(first)).isNull();
        }
    }

    @Promise({"34.1", "34.11"})
    @EveryStrategy
    void theReplyToATakenMessageCanBeDeferred(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var kept = new AtomicReference<DeferredReply<String>>();
            var actor = scope.anonymous().newReceivingActorWithReturn(
                    (ReceivingReplyContext<String, String> inbox, String message) -> {
                        var own = inbox.deferReply();
                        inbox.receive();
                        kept.set(inbox.deferReply());
                        assertThat(inbox.deferReply()).isSameAs(kept.get());
                        inbox.receive();
                        inbox.reply("third");
                        own.complete("own");
                        return "ignored";
                    });
            var gate = Gate.in(actor);
            var first = actor.sendMessageReturn("a");
            var second = actor.sendMessageReturn("b");
            var third = actor.sendMessageReturn("c");
            gate.close();
            assertThat(Waits.on(third)).isEqualTo("third");
            assertThat(Waits.on(first)).isEqualTo("own");
            assertThat(second).isNotDone();
            assertThat(kept.get().complete("second")).isTrue();
            assertThat(Waits.on(second)).isEqualTo("second");
        }
    }

    @Promise({"30.1", "34.11"})
    @EveryStrategy
    void aTakenRequestIsAnsweredByItsReply(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            Actor<Double, Reply> actor = scope.anonymous()
                    .newReceivingActorWithReturn((ReceivingReplyContext<Double, Reply> inbox) -> {
                        var request = inbox.receive();
                        assertThatThrownBy(() -> inbox.reply(Reply.none()))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("took it by receive");
                        inbox.reply(request.reply(2 * request.number()));
                        inbox.receive();
                    });
            assertThat(Waits.on(actor.request(new Double(4)))).isEqualTo(8);
            assertThat(Waits.failure(actor.request(new Double(5)))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("did not reply");
        }
    }

    @Promise("34.11")
    @EveryStrategy
    void aHandlerThatThrowsFailsWhatItHasNotAnswered(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newReceivingActorWithReturn(
                    (ReceivingReplyContext<String, String> inbox, String message) -> {
                        inbox.receive();
                        inbox.reply("answered");
                        inbox.receive();
                        inbox.deferReply();
                        throw new IllegalStateException("thrown");
                    });
            var gate = Gate.in(actor);
            var first = actor.sendMessageReturn("a");
            var second = actor.sendMessageReturn("b");
            var third = actor.sendMessageReturn("c");
            gate.close();
            assertThat(Waits.failure(first)).hasMessage("thrown");
            assertThat(Waits.on(second)).isEqualTo("answered");
            assertThat(Waits.failure(third)).hasMessage("thrown");
            assertThat(events.only(Failed.class).cause()).hasMessage("thrown");
        }
    }

    /** The supertype that both contexts have in common is not public. */
    @EveryStrategy
    void receivesOfBothContextsCanBeCalledThroughMethodReferences(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var got = new LinkedBlockingQueue<Object>();
            Actor<String, Void> listener = scope.anonymous()
                    .newReceivingActor((ReceivingContext<String> inbox) -> got
                            .addAll(List.of(receives(inbox::receive, inbox::receive, inbox::receive))));
            Actor<String, String> answering = scope.anonymous()
                    .newReceivingActorWithReturn((ReceivingReplyContext<String, String> inbox) -> got
                            .addAll(List.of(receives(inbox::receive, inbox::receive, inbox::receive))));
            for (var actor : List.of(listener, answering)) {
                for (var message : List.of("one", "two", "three")) {
                    actor.sendMessage(message);
                }
                Waits.on(actor.onStopped());
            }
            assertThat(got).containsExactly("one", Optional.of("two"), "three", "one", Optional.of("two"),
                    "three");
        }
    }

    private interface Receive<A, B> {
        B from(A how) throws InterruptedException;
    }

    private static Object[] receives(Callable<String> next, Receive<Duration, Optional<String>> soon,
            Receive<Class<String>, String> typed) throws Exception {
        return new Object[]{next.call(), soon.from(LONG), typed.from(String.class)};
    }

    /** What the calls for a reply throw when the message taken last is over. */
    private static void cannotReply(ReceivingReplyContext<String, String> inbox) {
        assertThatThrownBy(() -> inbox.reply("of another message")).isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("has called reply", "took last was over");
        assertThatThrownBy(inbox::deferReply).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has called deferReply");
    }

    @Promise("34.11")
    @EveryStrategy
    void afterAReceiveThatFindsNothingThereIsNoMessageToReplyTo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newReceivingActorWithReturn(
                    (ReceivingReplyContext<String, String> inbox, String message) -> {
                        if (inbox.receive(m -> m.equals("two"), Duration.ZERO).isPresent()) {
                            assertThat(inbox.receive(m -> false, Duration.ZERO)).isEmpty();
                            cannotReply(inbox);
                        } else {
                            inbox.reply("early"); // nothing was taken
                        }
                        return "the answer to " + message;
                    });
            CompletableFuture<String> first;
            CompletableFuture<String> second;
            CompletableFuture<String> third;
            try (var gate = Gate.in(actor)) {
                assertThat(gate).isNotNull();
                first = actor.sendMessageReturn("one");
                second = actor.sendMessageReturn("two");
                third = actor.sendMessageReturn("three");
            }
            assertThat(Waits.on(first)).isEqualTo("the answer to one");
            assertThat(Waits.failure(second)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("before it called receive again");
            assertThat(Waits.on(third)).isEqualTo("early");
            assertThat(events.of(Failed.class)).hasSize(1);
        }
    }

    @Promise("34.11")
    @EveryStrategy
    void inABodyTheMessageIsOverAtTheNextReceiveToo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var checked = new CompletableFuture<Boolean>();
            Actor<String, String> actor = scope.anonymous()
                    .newReceivingActorWithReturn((ReceivingReplyContext<String, String> inbox) -> {
                        inbox.receive();
                        assertThat(inbox.receive(m -> false, Duration.ZERO)).isEmpty();
                        cannotReply(inbox);
                        checked.complete(true);
                    });
            assertThat(Waits.failure(actor.sendMessageReturn("one")))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(Waits.on(checked)).isTrue();
        }
    }
}
