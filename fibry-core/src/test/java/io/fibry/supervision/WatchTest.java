package io.fibry.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.function.Handler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

class WatchTest {
    private final Recorder recorder = new Recorder();
    private final List<String> heard = new CopyOnWriteArrayList<>();

    /** An actor that does what it is told, in its context; strings it keeps. */
    private Actor<Object, Void> teller(ActorScope scope, MailboxPolicy mailbox) {
        return scope.anonymous().mailbox(mailbox).newActor(this::tell);
    }

    @SuppressWarnings("unchecked")
    private void tell(ActorContext<Object, Void> context, Object message) throws Exception {
        if (message instanceof String text) {
            heard.add(text);
        } else {
            ((Handler<ActorContext<Object, Void>>) message).handle(context);
        }
    }

    private static Object does(Handler<ActorContext<Object, Void>> deed) {
        return deed;
    }

    private static Object watch(Actor<?, ?> other) {
        return does(context -> context.watch(other, end -> end.actor() + " " + end.reason()));
    }

    private static Actor<Integer, Integer> victim(ActorScope scope) {
        return scope.named("victim").onFailure(FailurePolicy.stop()).newActorWithReturn((Integer n) -> 1 / n);
    }

    private static void settle(Actor<?, ?> actor) throws Exception {
        actor.execAndWait(() -> {
        });
    }

    @Promise("19.10")
    @EveryStrategy
    void aWatcherHearsOnceHowTheOtherCameToItsEnd(Strategy strategy) throws Exception {
        for (var reason : List.of(Reason.EXIT, Reason.POISON_PILL, Reason.FAILURE)) {
            try (var scope = Scopes.on(strategy, recorder)) {
                var watcher = teller(scope, MailboxPolicy.unbounded());
                var victim = victim(scope);
                watcher.sendMessage(watch(victim));
                watcher.sendMessage(watch(victim)); // takes the place of the first
                settle(watcher);
                switch (reason) {
                    case EXIT -> victim.askExit();
                    case POISON_PILL -> victim.sendPoisonPill();
                    default -> victim.sendMessage(0);
                }
                Waits.until("the notice", () -> !heard.isEmpty());
                settle(watcher);
                assertThat(heard).containsExactly("victim " + reason);
                heard.clear();
            }
        }
    }

    @Promise("19.10")
    @EveryStrategy
    void alsoIfTheOtherHasStoppedAlready(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var watcher = teller(scope, MailboxPolicy.unbounded());
            var victim = victim(scope);
            victim.close();
            watcher.sendMessage(watch(victim));
            Waits.until("the notice", () -> !heard.isEmpty());
            settle(watcher);
            assertThat(heard).containsExactly("victim POISON_PILL");
        }
    }

    @Promise("19.10")
    @EveryStrategy
    void alsoIfTheMailboxIsFullAndDropsTheOldest(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var watcher = teller(scope, MailboxPolicy.bounded(2, OverflowPolicy.dropOldest()));
            var victim = victim(scope);
            watcher.sendMessage(watch(victim));
            settle(watcher);
            try (var gate = Gate.in(watcher)) {
                watcher.sendMessage("1");
                watcher.sendMessage("2");
                victim.close();
                if (!strategy.isAsync()) {
                    Waits.until("the notice is in", () -> watcher.mailboxSize() == 3);
                }
                watcher.sendMessage("3");
                watcher.sendMessage("4");
                watcher.sendMessage("5");
                gate.open();
            }
            Waits.until("the notice", () -> heard.stream().anyMatch(text -> text.startsWith("victim")));
            settle(watcher);
            assertThat(heard).filteredOn(text -> text.startsWith("victim")).hasSize(1);
        }
    }

    @Promise("19.10")
    @EveryStrategy
    void afterUnwatchNothingIsHeardAlsoIfItWasInTheMailbox(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var watcher = teller(scope, MailboxPolicy.unbounded());
            var victim = victim(scope);
            watcher.sendMessage(watch(victim));
            settle(watcher);
            try (var gate = Gate.in(watcher)) {
                watcher.sendMessage(does(context -> {
                    assertThat(context.unwatch(victim)).isTrue();
                    assertThat(context.unwatch(victim)).isFalse();
                    heard.add("unwatched");
                }));
                victim.close();
                gate.open();
            }
            settle(watcher);
            settle(watcher);
            assertThat(heard).containsExactly("unwatched");
        }
    }

    @Promise("19.10")
    @EveryStrategy
    void aReceivingActorCanWaitForTheNotice(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var victim = victim(scope);
            var watcher = scope.anonymous().newReceivingActor((ReceivingContext<String> context) -> {
                context.watch(victim, end -> "gone");
                heard.add(context.receive("gone"::equals));
                heard.add(context.receive());
            });
            watcher.sendMessage("other");
            victim.close();
            watcher.waitForExit();
            assertThat(heard).containsExactly("gone", "other");
        }
    }

    /** The function that makes the notice is called once, and what it throws is a failure, as in an actor with a handler. */
    @Promise({"19.10", "10.1"})
    @EveryStrategy
    void aNoticeThatCannotBeMadeIsAFailureOfAReceivingActor(Strategy strategy) throws Exception {
        for (var thrown : List.of(new IllegalStateException("no notice"), new AssertionError("no notice"))) {
            var events = new Recorder();
            try (var scope = Scopes.on(strategy, events)) {
                var victim = victim(scope);
                var watcher = scope.anonymous().newReceivingActor((ReceivingContext<String> context) -> {
                    context.watch(victim, end -> {
                        heard.add("called");
                        return fail(thrown);
                    });
                    heard.add(context.receive());
                    heard.add(context.receive());
                });
                watcher.sendMessage("one");
                Waits.until("it has begun", () -> heard.contains("one"));
                victim.close();
                Waits.until("the failure", () -> watcher.counters().failed() == 1);
                Waits.until("nothing waits", () -> watcher.mailboxSize() == 0);
                watcher.sendMessage("two");
                watcher.waitForExit();
                assertThat(heard).containsExactly("one", "called", "two");
                assertThat(events.only(Failed.class).cause()).isSameAs(thrown);
                assertThat(watcher.counters().total()).isEqualTo(3);
                heard.clear();
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <T, E extends Throwable> T fail(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Promise("19.10")
    @EveryStrategy
    void aLinkedActorEndsWithTheOneThatFails(Strategy strategy) throws Exception {
        for (var linkedFirst : new boolean[]{true, false}) {
            try (var scope = Scopes.on(strategy, recorder)) {
                var victim = victim(scope);
                var linked = teller(scope, MailboxPolicy.unbounded());
                if (linkedFirst) {
                    linked.sendMessage(does(context -> context.link(victim)));
                    settle(linked);
                }
                victim.sendMessage(0);
                victim.waitForExit();
                if (!linkedFirst) {
                    linked.sendMessage(does(context -> context.link(victim)));
                }
                linked.waitForExit();
                assertThat(recorder.of(Stopped.class).getLast().reason()).isEqualTo(Reason.LINKED);
            }
        }
    }

    @Promise("19.10")
    @EveryStrategy
    void normalEndsAndLinksThatWereTakenBackHarmNobody(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var linked = teller(scope, MailboxPolicy.unbounded());
            var first = victim(scope);
            linked.sendMessage(does(context -> context.link(first)));
            settle(linked);
            first.close();
            var second = victim(scope);
            linked.sendMessage(does(context -> {
                context.link(second);
                context.unlink(second);
            }));
            settle(linked);
            second.sendMessage(0);
            second.waitForExit();
            settle(linked);
            assertThat(linked.state()).isNotEqualTo(ActorState.STOPPED);
        }
    }

    @Promise("19.10")
    @EveryStrategy
    void whoWatchesTheOneThatFailsIsToldInstead(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var linked = teller(scope, MailboxPolicy.unbounded());
            var victim = victim(scope);
            linked.sendMessage(does(context -> context.link(victim)));
            linked.sendMessage(watch(victim));
            settle(linked);
            victim.sendMessage(0);
            Waits.until("the notice", () -> !heard.isEmpty());
            settle(linked);
            assertThat(heard).containsExactly("victim FAILURE");
        }
    }

    @Promise("19.10")
    @EveryStrategy
    void aLongChainOfLinksEndsWithoutADeepStack(Strategy strategy) throws Exception {
        var length = strategy == Strategy.THREADS || strategy == Strategy.OWN ? 50 : 5_000;
        try (var scope = Scopes.on(strategy)) {
            var victim = victim(scope);
            Actor<?, ?> before = victim;
            Actor<Object, Void> last = null;
            for (int i = 0; i < length; i++) {
                var other = before;
                last = teller(scope, MailboxPolicy.unbounded());
                last.sendMessage(does(context -> context.link(other)));
                settle(last);
                before = last;
            }
            victim.sendMessage(0);
            last.waitForExit();
        }
    }

    @Promise("19.10")
    @EveryStrategy
    void onlyOtherActorsCanBeWatched(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = teller(scope, MailboxPolicy.unbounded());
            actor.sendMessageReturn(does(context -> {
                for (var other : List.<Actor<?, ?>>of(context.self())) {
                    assertThatThrownBy(() -> context.watch(other, end -> "me"))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("another actor");
                }
            })).get();
        }
    }
}
