package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Lifetime;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.ScopeLimits;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered.Cause;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class TrackedTest {
    private static final MessageFate HANDLED = new MessageFate.Handled();

    private final Recorder events = new Recorder();

    /** Fails for a negative number. */
    private static void handle(Integer number) {
        if (number < 0) {
            throw new IllegalArgumentException("negative");
        }
    }

    private static Actor<Integer, Void> actor(ActorBuilder builder) {
        return builder.newActor((Integer number) -> handle(number));
    }

    private static Cause cause(MessageFate fate) {
        return switch (fate) {
            case MessageFate.Dropped dropped -> dropped.cause();
            case MessageFate.Refused refused -> refused.cause();
            case MessageFate.Undelivered undelivered -> undelivered.cause();
            default -> throw new AssertionError(fate);
        };
    }

    @Promise("35.1")
    @EveryStrategy
    void eachMessageMeetsTheFateForWhichItIsCounted(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var actor = actor(scope.anonymous());
            assertThat(Waits.on(actor.sendTracked(1))).isEqualTo(HANDLED);
            assertThat(HANDLED.isHandled()).isTrue();
            assertThat(Waits.on(actor.sendTracked(-1))).isInstanceOfSatisfying(MessageFate.Failed.class,
                    failed -> assertThat(failed.cause()).hasMessage("negative"));
            CompletableFuture<MessageFate> late;
            CompletableFuture<MessageFate> inTime;
            try (var gate = Gate.in(actor)) {
                late = actor.sendTracked(1, Duration.ofSeconds(1));
                inTime = actor.sendTracked(1, Duration.ofSeconds(5));
                time.advance(Duration.ofSeconds(1));
                gate.open();
            }
            assertThat(Waits.on(late)).isEqualTo(new MessageFate.Expired());
            assertThat(Waits.on(inTime)).isEqualTo(HANDLED);
            CompletableFuture<MessageFate> queued;
            try (var gate = Gate.in(actor)) {
                queued = actor.sendTracked(1);
                actor.askExit();
                gate.open();
            }
            assertThat(cause(Waits.on(queued))).isEqualTo(Cause.STOPPED_BEFORE_TURN);
            Waits.stopped(actor);
            assertThat(Waits.on(actor.sendTracked(1))).isInstanceOfSatisfying(MessageFate.Refused.class,
                    refused -> {
                        assertThat(refused.cause()).isEqualTo(Cause.STOPPED);
                        assertThat(refused.why()).isInstanceOf(ActorStoppedException.class)
                                .hasMessageContaining(actor.name());
                    });
            var counters = actor.counters();
            assertThat(counters.handled()).isEqualTo(2 + 2); // with the gates
            assertThat(List.of(counters.failed(), counters.expired(), counters.undelivered(),
                    counters.refused()))
                    .containsOnly(1L);
        }
    }

    @Promise("35.1")
    @EveryStrategy
    void aFullMailboxDropsOrRefusesAndNothingIsThrown(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (var policy : List.of(OverflowPolicy.dropNewest(), OverflowPolicy.dropOldest(),
                    OverflowPolicy.reject(),
                    OverflowPolicy.fail(), OverflowPolicy.block(Duration.ofMillis(1)))) {
                var actor = actor(scope.anonymous().mailbox(MailboxPolicy.bounded(1, policy)));
                CompletableFuture<MessageFate> first;
                CompletableFuture<MessageFate> second;
                try (var gate = Gate.in(actor)) {
                    first = actor.sendTracked(1);
                    second = actor.sendTracked(2);
                    gate.open();
                }
                var lost = Waits.on(policy.equals(OverflowPolicy.dropOldest()) ? first : second);
                var other = Waits.on(policy.equals(OverflowPolicy.dropOldest()) ? second : first);
                assertThat(other).as("%s", policy).isEqualTo(HANDLED);
                if (policy.equals(OverflowPolicy.dropOldest())) {
                    assertThat(cause(lost)).isEqualTo(Cause.DROPPED_OLDEST);
                    assertThat(lost).isInstanceOf(MessageFate.Dropped.class);
                } else if (policy.equals(OverflowPolicy.dropNewest())) {
                    assertThat(lost).isInstanceOf(MessageFate.Dropped.class);
                } else {
                    assertThat(lost).as("%s", policy).isInstanceOfSatisfying(MessageFate.Refused.class,
                            refused -> assertThat(refused.why()).isInstanceOf(MailboxFullException.class));
                }
            }
        }
    }

    @Promise("35.1")
    @EveryStrategy
    void aScopesLimitRefusesToo(Strategy strategy) throws Exception {
        for (var overflow : List.of(OverflowPolicy.reject(), OverflowPolicy.fail())) {
            try (var scope = Scopes.configure().strategy(strategy.create())
                    .limits(ScopeLimits.none().waiting(1).overflow(overflow))
                    .open()) {
                var actor = actor(scope.anonymous());
                CompletableFuture<MessageFate> first;
                CompletableFuture<MessageFate> second;
                try (var gate = Gate.in(actor)) {
                    first = actor.sendTracked(1);
                    second = actor.sendTracked(2);
                    gate.open();
                }
                assertThat(Waits.on(first)).isEqualTo(HANDLED);
                assertThat(cause(Waits.on(second))).isEqualTo(Cause.OVERLOAD);
                // The places are free again.
                assertThat(Waits.on(actor.sendTracked(3))).isEqualTo(HANDLED);
            }
        }
    }

    @Promise("35.1")
    @EveryStrategy
    void messagesOfMembersKeysWorkersAndReceiversMeetTheirFates(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var workers = Stereotypes.with(scope.anonymous()).<Integer>workers(TrackedTest::handle);
            assertThat(Waits.on(workers.sendTracked(1))).isEqualTo(HANDLED);
            assertThat(Waits.on(workers.sendTracked(-1))).isInstanceOf(MessageFate.Failed.class);
            var keyed = scope.anonymous().keyed((Integer number) -> number).atMost(1)
                    .newActorsFrom(key -> (context, number) -> handle(number));
            assertThat(Waits.on(keyed.sendTracked(1))).isEqualTo(HANDLED);
            assertThat(cause(Waits.on(keyed.sendTracked(2)))).isEqualTo(Cause.FULL);
            keyed.close();
            assertThat(cause(Waits.on(keyed.sendTracked(1)))).isEqualTo(Cause.STOPPED);
            var receiver =
                    scope.anonymous().newReceivingActor((ReceivingContext<Integer> inbox, Integer first) -> {
                        handle(inbox.receive());
                    });
            CompletableFuture<MessageFate> one;
            CompletableFuture<MessageFate> two;
            CompletableFuture<MessageFate> three;
            CompletableFuture<MessageFate> four;
            try (var gate = Gate.in(receiver)) {
                one = receiver.sendTracked(1);
                two = receiver.sendTracked(2);
                three = receiver.sendTracked(3);
                four = receiver.sendTracked(-4);
                gate.open();
            }
            assertThat(Waits.on(one)).isEqualTo(HANDLED);
            assertThat(Waits.on(two)).isEqualTo(HANDLED);
            assertThat(Waits.on(three)).isInstanceOf(MessageFate.Failed.class);
            assertThat(Waits.on(four)).isInstanceOf(MessageFate.Failed.class);
        }
    }

    @Promise("35.1")
    @EveryStrategy
    void aMessageThatASuccessorInheritsMeetsItsFateThere(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var group = scope.named("group").newGroup(GroupPolicy.oneForOne());
            group.add("member", Lifetime.PERMANENT,
                    builder -> actor(builder.onFailure(FailurePolicy.stop())));
            Actor<Integer, Void> first = scope.<Integer, Void>find(ActorName.of("member")).orElseThrow();
            var tracked = new ArrayList<CompletableFuture<MessageFate>>();
            try (var gate = Gate.in(first)) {
                tracked.add(first.sendTracked(-1));
                tracked.add(first.sendTracked(1));
                gate.open();
            }
            assertThat(Waits.on(tracked.get(0))).isInstanceOf(MessageFate.Failed.class);
            assertThat(Waits.on(tracked.get(1))).isEqualTo(HANDLED);
            group.close();
        }
    }

    @Promise("35.1")
    @Test
    void aMessageForWhichNoThreadStartsIsUndelivered() throws Exception {
        var refusing = CreationStrategy.of(task -> {
            throw new RejectedExecutionException("no threads");
        });
        try (var scope = Scopes.configure().strategy(refusing).open()) {
            var fate = Waits.on(actor(scope.anonymous()).sendTracked(1));
            assertThat(fate).isInstanceOfSatisfying(MessageFate.Undelivered.class, undelivered -> {
                assertThat(undelivered.cause()).isEqualTo(Cause.STRATEGY_REFUSED);
                assertThat(undelivered.why()).hasRootCauseMessage("no threads");
            });
        }
    }

    @Promise("35.1")
    @EveryStrategy
    void cancellingTheFutureDoesNothingToTheMessage(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var handled = new CountDownLatch(1);
            Actor<Integer, Void> actor = scope.anonymous().interruptOnCancel()
                    .newActor((Integer number) -> handled.countDown());
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendTracked(1).cancel(true)).isTrue();
                gate.open();
            }
            Waits.on(handled);
            actor.close();
            assertThat(actor.counters().handled()).isEqualTo(2);
        }
    }

    @Promise("11.1")
    @EveryStrategy
    void aWaitForTheFateOfAMessageToOneselfIsACycle(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var mine = new CompletableFuture<CompletableFuture<MessageFate>>();
            Actor<Integer, Integer> actor = scope.anonymous()
                    .newActorWithReturn((ActorContext<Integer, Integer> context, Integer number) -> {
                        if (number == 0) {
                            var fate = context.self().sendTracked(1);
                            mine.complete(fate);
                            assertThatThrownBy(fate::get).isInstanceOf(AskCycleException.class);
                        }
                        return number;
                    });
            assertThat(actor.apply(0)).isZero();
            assertThat(Waits.on(Waits.on(mine))).isEqualTo(HANDLED);
            // Another actor may wait for it.
            Actor<Integer, MessageFate> other = scope.anonymous()
                    .newActorWithReturn((Integer number) -> actor.sendTracked(number).get());
            assertThat(other.apply(5)).isEqualTo(HANDLED);
        }
    }

    private static String site(Failed failed) {
        return failed.sentFrom().getFirst().getMethodName();
    }

    @Promise("35.5")
    @EveryStrategy
    void receivedMessagesTellTheirSitesToo(Strategy strategy) throws Exception {
        try (var scope =
                Scopes.configure().strategy(strategy.create()).listener(events).senderSites(1).open()) {
            if (strategy == Strategy.CALLER) {
                return; // a receiving actor would wait on the thread of its sender
            }
            var asked = scope.anonymous().<Integer, Integer>newReceivingActorWithReturn((context, first) -> {
                context.receive();
                return first;
            });
            asked.sendMessage(0);
            var unanswered = ask(asked);
            assertThat(Waits.failure(unanswered)).isInstanceOf(IllegalStateException.class);
            assertThat(site(events.await(Failed.class, 1).getLast())).isEqualTo("ask");
        }
    }

    private static CompletableFuture<Integer> ask(Actor<Integer, Integer> actor) {
        return actor.sendMessageReturn(3);
    }

    @Promise("35.5")
    @EveryStrategy
    void aFailedMessageSaysWhereItWasSentFrom(Strategy strategy) throws Exception {
        try (var scope =
                Scopes.configure().strategy(strategy.create()).listener(events).senderSites(2).open()) {
            var actor = actor(scope.anonymous());
            actor.sendMessage(-1);
            actor.sendMessage(-2);
            actor.close();
            var failures = events.of(Failed.class);
            assertThat(failures).hasSize(2).extracting(Failed::sentBy).containsOnly(Optional.empty());
            assertThat(failures.get(1).sentFrom()).isEmpty();
            assertThat(failures.get(0).sentFrom().getFirst()).satisfies(site -> {
                assertThat(site.getClassName()).isEqualTo(TrackedTest.class.getName());
                assertThat(site.getMethodName()).isEqualTo("aFailedMessageSaysWhereItWasSentFrom");
            });
        }
        try (var scope =
                Scopes.configure().strategy(strategy.create()).listener(events).senderSites(1).open()) {
            var actor = actor(scope.anonymous());
            var sender = scope.named("sender").newActor((Integer number) -> {
                actor.sendMessage(number);
            });
            sender.sendMessage(-3);
            var fate = actor.sendTracked(-4);
            assertThat(Waits.on(fate)).isInstanceOf(MessageFate.Failed.class);
            assertThat(events.await(Failed.class, 4)).filteredOn(failed -> !failed.sentFrom().isEmpty())
                    .anySatisfy(
                            failed -> assertThat(failed.sentBy()).hasValue("sender"));
        }
        try (var scope = Scopes.on(strategy, events)) {
            var actor = actor(scope.anonymous());
            actor.sendMessage(-5);
            actor.close();
            assertThat(events.of(Failed.class).getLast().sentFrom()).isEmpty();
        }
        assertThatThrownBy(() -> ActorSystem.configure("none").senderSites(0))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("0");
    }

    /** The one place of the scope is free when the fate of a message is known. */
    @Promise("24.2")
    @EveryStrategy
    void whoGetsAFateCanSendAgain(Strategy strategy) throws Exception {
        if (strategy == Strategy.CALLER) {
            return; // the first send would wait in the handler
        }
        var time = new ManualTime();
        try (var scope = Scopes.configure().strategy(strategy.create()).listener(events).time(time)
                .limits(ScopeLimits.none().waiting(1)).open()) {
            var begun = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var busy = scope.anonymous().newActor((Integer number) -> {
                begun.countDown();
                go.await();
            });
            busy.sendMessage(0);
            Waits.on(begun);
            var expires = busy.sendTracked(0, Duration.ofSeconds(1)).thenCompose(fate -> busy.sendTracked(0));
            time.advance(Duration.ofSeconds(1));
            go.countDown();
            assertThat(Waits.on(expires)).as("after one that expired").isEqualTo(HANDLED);
            for (var number : List.of(1, -1)) {
                var goOn = new ArrayList<CountDownLatch>();
                for (var make : List.<Function<CountDownLatch, Actor<Integer, Void>>>of(
                        go1 -> scope.anonymous().stash(1).newActor((ActorContext<Integer, Void> context,
                                Integer n) -> {
                            go1.await();
                            handle(n);
                        }),
                        go1 -> Stereotypes.with(scope.anonymous()).workers((Integer n) -> {
                            go1.await();
                            handle(n);
                        }))) {
                    var latch = new CountDownLatch(1);
                    goOn.add(latch);
                    var actor = make.apply(latch);
                    var second = actor.sendTracked(number).thenCompose(fate -> actor.sendTracked(1));
                    latch.countDown();
                    assertThat(Waits.on(second)).as("actor %d, after %d", goOn.size(), number)
                            .isEqualTo(HANDLED);
                }
            }
            var left = scope.anonymous().stash(1).newActor((ActorContext<Integer, Void> context,
                    Integer n) -> context.stash());
            var plain = scope.anonymous().newActor((Integer n) -> handle(n));
            var after = left.sendTracked(1).thenCompose(fate -> plain.sendTracked(1));
            Waits.until("it was put aside", () -> left.toString().contains("1 put aside"));
            left.askExit();
            assertThat(Waits.on(after)).as("after one that was undelivered").isEqualTo(HANDLED);
        }
    }

    @Promise("35.5")
    @EveryStrategy
    void workersAndStandInsKeepTheSitesAndCountNoSends(Strategy strategy) throws Exception {
        for (var tracked : List.of(false, true)) {
            try (var scope =
                    Scopes.configure().strategy(strategy.create()).listener(events).senderSites(2).open()) {
                var before = events.of(Failed.class).size();
                var workers = Stereotypes.with(scope.anonymous()).workers((Integer number) -> handle(number));
                for (int i = 0; i < 10; i++) {
                    fails(workers, tracked);
                }
                assertThat(sites(before, 10)).as("workers").hasSize(5).containsOnly("fails");
                if (strategy != Strategy.FIBERS && strategy != Strategy.THREADS) {
                    continue;
                }
                var asked = scope.anonymous().abandonStuck(Duration.ofMinutes(1), Duration.ofMinutes(1))
                        .newActor((Integer number) -> handle(number));
                for (int i = 0; i < 10; i++) {
                    fails(asked, tracked);
                }
                assertThat(sites(before + 10, 10)).as("stand-ins").hasSize(5).containsOnly("fails");
            }
        }
    }

    private static void fails(Actor<Integer, Void> actor, boolean tracked) {
        if (tracked) {
            actor.sendTracked(-1);
        } else {
            actor.sendMessage(-1);
        }
    }

    private List<String> sites(int from, int count) throws InterruptedException {
        return events.await(Failed.class, from + count).subList(from, from + count).stream()
                .filter(failed -> !failed.sentFrom().isEmpty()).map(TrackedTest::site).toList();
    }
}
