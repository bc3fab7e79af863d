package io.fibry.holding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorName;
import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.Actors;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.ContextCarrier;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Lifetime;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class HeldActorsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Recorder events = new Recorder();

    /** An account whose money is a plain field: what two threads do to it at a time is lost. */
    private static final class Account {
        private final Actor<Long, Long> actor;
        private long cents;
        private boolean busy;

        Account(ActorScope scope, long cents) {
            this.cents = cents;
            actor = scope.anonymous().newActorWithReturn((Long more) -> add(more));
        }

        long add(long more) {
            assertThat(busy).as("two threads at a time").isFalse();
            busy = true;
            cents += more;
            Thread.onSpinWait();
            busy = false;
            return cents;
        }
    }

    private static List<Account> accounts(ActorScope scope, int count) {
        return IntStream.range(0, count).mapToObj(i -> new Account(scope, 1_000)).toList();
    }

    private static long total(List<Account> accounts) throws Exception {
        return Waits.on(Actors.holding(accounts.stream().map(each -> each.actor).toList())
                .execFuture(() -> accounts.stream().mapToLong(each -> each.cents).sum()));
    }

    @Promise("37.1")
    @EveryStrategy
    void noMoneyIsLostOrMade(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var accounts = accounts(scope, 5);
            var transfers = Collections.synchronizedList(new ArrayList<CompletableFuture<?>>());
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < 4; i++) {
                threads.add(Thread.startVirtualThread(() -> {
                    var random = ThreadLocalRandom.current();
                    for (int n = 0; n < 200; n++) {
                        var from = accounts.get(random.nextInt(5));
                        var to = accounts.get(random.nextInt(5));
                        transfers.add(Actors.holding(from.actor, to.actor).execFuture(() -> {
                            from.add(-7);
                            return to.add(7);
                        }));
                        from.actor.sendMessage(0L);
                    }
                }));
            }
            for (var thread : threads) {
                Waits.on(thread);
            }
            assertThat(total(accounts)).isEqualTo(5_000);
            for (var transfer : transfers) {
                Waits.on(transfer);
            }
            assertThat(total(accounts)).isEqualTo(5_000);
        }
        assertThat(events.of(Failed.class)).isEmpty();
    }

    @Promise("37.1")
    @EveryStrategy
    void noneOfThemHandlesAMessageMeanwhile(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() a sender would wait for the code");
        try (var scope = Scopes.on(strategy, events)) {
            var handled = new AtomicInteger();
            var all = IntStream.range(0, 3)
                    .mapToObj(i -> scope.anonymous().newActor((Integer n) -> handled.incrementAndGet()))
                    .toList();
            var inside = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var held = Actors.holding(all).execFuture(() -> {
                inside.countDown();
                Waits.on(goOn);
                return handled.get();
            });
            Waits.on(inside);
            var answers = all.stream().map(each -> each.sendMessageReturn(1)).toList();
            assertThat(all).allSatisfy(each -> assertThat(each.state()).isEqualTo(ActorState.BUSY));
            goOn.countDown();
            assertThat(Waits.on(held)).isZero();
            for (var answer : answers) {
                Waits.on(answer);
            }
            assertThat(handled).hasValue(3);
        }
    }

    @Promise("37.2")
    @Test
    void oneThreadIsEnoughForAllOfThem() throws Exception {
        try (var scope = ActorSystem.configure("one thread").strategy(CreationStrategy.pool(1)).open()) {
            var accounts = accounts(scope, 3);
            var transfers = new ArrayList<CompletableFuture<Long>>();
            for (int n = 0; n < 300; n++) {
                var from = accounts.get(n % 3);
                var to = accounts.get((n + 1) % 3);
                transfers
                        .add(Actors.holding(from.actor, to.actor).execFuture(() -> from.add(-1) + to.add(1)));
            }
            for (var transfer : transfers) {
                Waits.on(transfer);
            }
            assertThat(total(accounts)).isEqualTo(3_000);
        }
    }

    @Promise("37.3")
    @EveryStrategy
    void theCodeComesAfterWhatItsCallerHasSent(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var accounts = accounts(scope, 4);
            for (int n = 1; n <= 50; n++) {
                for (var account : accounts) {
                    account.actor.sendMessage(1L);
                }
                assertThat(total(accounts)).isEqualTo(4_000 + 4 * n);
            }
        }
    }

    @Promise("37.3")
    @EveryStrategy
    void anActorThatIsNamedTwiceIsHeldOnce(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var account = new Account(scope, 1);
            Actors.holding(account.actor, account.actor).execAndWait(() -> account.add(2));
            Actors.holding(List.of(account.actor)).within(LONG).execAndWait(() -> account.add(3));
            assertThat(account.actor.apply(0L)).isEqualTo(6);
        }
    }

    @Promise("37.4")
    @EveryStrategy
    void aFailureIsThatOfAllAndReportedOnce(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var made = new AtomicInteger();
            var resuming = scope.anonymous().newActor((Integer n) -> {
            });
            var restarting = scope.anonymous().onFailure(FailurePolicy.restart())
                    .state(() -> new int[]{made.incrementAndGet()})
                    .newActorWithReturn((int[] state, Integer n) -> state[0]);
            var stopping = scope.anonymous().onFailure(FailurePolicy.stop()).newActor((Integer n) -> {
            });
            assertThat(restarting.apply(0)).isEqualTo(1);
            var failure = new IllegalStateException("half done");
            var result = Actors.holding(List.of(resuming, restarting, stopping)).execFuture(() -> {
                throw failure;
            });
            assertThat(Waits.failure(result)).isSameAs(failure);
            Waits.stopped(stopping);
            assertThat(restarting.apply(0)).isEqualTo(2);
            resuming.sendMessageReturn(1).get();
            events.await(Restarted.class);
            assertThat(events.of(Failed.class)).hasSize(1);
        }
    }

    @Promise("37.9")
    @EveryStrategy
    void theCodeGetsTheStatesInTheOrderOfTheActors(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var made = new AtomicInteger();
            var builder = scope.anonymous().state(() -> new long[]{made.incrementAndGet()});
            var actors = IntStream.range(0, 4)
                    .mapToObj(i -> builder.newActorWithReturn((long[] state, Long more) -> state[0] += more))
                    .toList();
            for (int i = 0; i < 4; i++) {
                assertThat(actors.get(i).apply(10L)).isEqualTo(11 + i);
            }
            var text = scope.anonymous().state(StringBuilder::new)
                    .newActorWithReturn((StringBuilder state, String more) -> state.append(more).toString());
            for (int i = 0; i < 4; i++) {
                var number = actors.get(i);
                Actors.holding(number, text).within(LONG)
                        .execAndWait((count, letters) -> letters.append(count[0]));
                long sum = Waits.on(Actors.holding(text, number)
                        .execFuture((letters, count) -> letters.append(' ').length() + count[0]));
                assertThat(sum).isEqualTo(3 * (i + 1) + 11 + i);
            }
            assertThat(text.apply(".")).isEqualTo("11 12 13 14 .");
            var backwards = new ArrayList<>(actors);
            Collections.reverse(backwards);
            backwards.add(actors.get(3));
            List<Long> seen = Waits.on(Actors.holdingStates(backwards)
                    .execFuture(states -> states.stream().map(each -> each[0]).toList()));
            assertThat(seen).containsExactly(14L, 13L, 12L, 11L, 14L);
            Actors.holdingStates(actors).within(LONG)
                    .execAndWait(states -> states.forEach(each -> each[0] = 0));
            assertThat(actors.get(2).apply(5L)).isEqualTo(5);
            var states = Waits.on(Actors.holdingStates(actors).execFuture(all -> all));
            assertThatThrownBy(states::removeFirst).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Promise("37.9")
    @EveryStrategy
    void aStateThatCannotBeMadeFailsTheCode(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var broken = new AtomicInteger();
            var one = scope.anonymous().state(() -> {
                if (broken.getAndIncrement() < 2) {
                    throw new IllegalStateException("not yet");
                }
                return new int[1];
            }).newActorWithReturn((int[] state, Integer n) -> state[0] += n);
            var other = scope.anonymous().state(() -> new int[1])
                    .newActorWithReturn((int[] state, Integer n) -> state[0] += n);
            var runs = new AtomicInteger();
            for (int i = 0; i < 2; i++) {
                var failed = Actors.holding(one, other).execFuture((a, b) -> runs.incrementAndGet());
                assertThat(Waits.failure(failed)).hasMessage("not yet");
            }
            int ran = Waits.on(Actors.holding(other, one).execFuture((a, b) -> runs.incrementAndGet()));
            assertThat(ran).isEqualTo(1);
            one.stop(LONG);
            assertThat(Waits.failure(Actors.holding(one, other).execFuture((a, b) -> 1)))
                    .isInstanceOf(ActorStoppedException.class);
            assertThat(other.apply(1)).isEqualTo(1);
        }
    }

    @Promise("37.5")
    @EveryStrategy
    void aStoppedActorFailsTheCodeAndTheOthersGoOn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (int stopped = 0; stopped < 3; stopped++) {
                var accounts = accounts(scope, 3);
                accounts.get(stopped).actor.stop(LONG);
                var all = accounts.stream().map(each -> each.actor).toList();
                var runs = new AtomicInteger();
                var result = Actors.holding(all).execFuture(runs::incrementAndGet);
                assertThat(Waits.failure(result)).isInstanceOf(ActorStoppedException.class);
                assertThatThrownBy(() -> Actors.holding(all).execAndWait(runs::incrementAndGet))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(ActorStoppedException.class);
                assertThat(runs).hasValue(0);
                for (var account : accounts) {
                    if (account != accounts.get(stopped)) {
                        assertThat(account.actor.apply(1L)).isEqualTo(1_001);
                    }
                }
            }
        }
    }

    @Promise("37.5")
    @EveryStrategy
    void aRequestToExitReachesAnActorThatIsHeld(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() nothing is held while this thread goes on");
        try (var scope = Scopes.on(strategy, events)) {
            var accounts = accounts(scope, 2);
            var runs = new AtomicInteger();
            for (var busy : accounts) {
                var other = accounts.get(busy == accounts.getFirst() ? 1 : 0);
                try (var gate = Gate.in(busy.actor)) {
                    var result = Actors.holding(busy.actor, other.actor).execFuture(runs::incrementAndGet);
                    Waits.until("held or waiting",
                            () -> busy.actor.mailboxSize() + other.actor.mailboxSize() > 0
                                    || other.actor.state() == ActorState.BUSY);
                    if (other.actor.state() == ActorState.BUSY) {
                        other.actor.askExit();
                        Waits.stopped(other.actor);
                        assertThat(Waits.failure(result)).isInstanceOf(ActorStoppedException.class);
                        gate.open();
                        assertThat(Waits.on(busy.actor.sendMessageReturn(1L))).isEqualTo(1_001);
                        assertThat(runs).hasValue(0);
                        return;
                    }
                    result.cancel(false);
                }
            }
            throw new AssertionError("neither is held first");
        }
    }

    @Promise("37.5")
    @EveryStrategy
    void onceTheCodeRunsAnExitWaitsAndAForcedStopInterrupts(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the code runs on this thread");
        try (var scope = Scopes.on(strategy, events)) {
            for (int which = 0; which < 2; which++) {
                var accounts = accounts(scope, 2);
                var inside = new CountDownLatch(1);
                var interrupted = new CountDownLatch(1);
                var result =
                        Actors.holding(accounts.getFirst().actor, accounts.getLast().actor).execFuture(() -> {
                            Waits.untilInterrupted(inside, interrupted);
                            return 1;
                        });
                Waits.on(inside);
                var leaver = accounts.get(which).actor;
                leaver.askExit();
                assertThat(leaver.waitForExit(Duration.ofMillis(5))).isFalse();
                assertThat(leaver.stop(Duration.ZERO).forced()).isTrue();
                Waits.on(interrupted);
                Waits.stopped(leaver);
                assertThat(result).satisfies(each -> Waits.soon().until(each::isDone));
                assertThat(Waits.on(accounts.get(1 - which).actor.sendMessageReturn(1L))).isEqualTo(1_001);
            }
        }
    }

    @Promise("37.6")
    @EveryStrategy
    void cancelledCodeDoesNotRunAndTheActorsGoOn(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the code has run when the future is there");
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var accounts = accounts(scope, 3);
            var all = accounts.stream().map(each -> each.actor).toList();
            var runs = new AtomicInteger();
            for (var busy : accounts) {
                try (var gate = Gate.in(busy.actor)) {
                    var cancelled = Actors.holding(all).execFuture(runs::incrementAndGet);
                    var timed = Actors.holding(all).within(Duration.ofSeconds(3))
                            .execFuture(runs::incrementAndGet);
                    cancelled.cancel(true);
                    time.advance(Duration.ofSeconds(3));
                    assertThat(Waits.failure(timed)).isInstanceOf(AskTimeoutException.class);
                    for (var other : accounts) {
                        if (other != busy) {
                            assertThat(Waits.on(other.actor.sendMessageReturn(1L))).isGreaterThan(1_000);
                        }
                    }
                    gate.open();
                }
                assertThat(Waits.on(busy.actor.sendMessageReturn(0L))).isGreaterThanOrEqualTo(1_000);
            }
            assertThat(runs).hasValue(0);
            assertThat(total(accounts)).isEqualTo(3_006);
        }
    }

    @Promise("37.7")
    @EveryStrategy
    void waitsThatWouldNeverEndAreCycles(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var one = new Account(scope, 1);
            var other = new Account(scope, 1);
            var both = Actors.holding(one.actor, other.actor);
            assertThatThrownBy(() -> both.execAndWait(() -> one.actor.apply(1L)))
                    .hasCauseInstanceOf(AskCycleException.class);
            assertThatThrownBy(() -> both.execAndWait(() -> other.actor.sendMessageReturnWait(1L)))
                    .hasCauseInstanceOf(AskCycleException.class);
            var asker = scope.anonymous().newActorWithReturn((Integer n) -> one.actor.apply(1L));
            assertThatThrownBy(() -> both.execAndWait(() -> asker.apply(1)))
                    .isInstanceOf(ExecutionException.class);
            var money = one.actor.apply(0L);
            for (var inside : List.of(one, other)) {
                assertThatThrownBy(() -> inside.actor.execAndWait(() -> both.execAndWait(() -> one.add(1))))
                        .hasCauseInstanceOf(AskCycleException.class);
            }
            assertThat(one.actor.apply(0L)).as("code that is refused does not run later").isEqualTo(money);
            var third = new Account(scope, 1);
            assertThatThrownBy(() -> third.actor.execAndWait(
                    () -> both.execAndWait(() -> third.actor.sendMessageReturnWait(1L))))
                    .isInstanceOf(ExecutionException.class);
            both.execAndWait(() -> one.add(third.actor.apply(0L)));
            assertThat(one.actor.apply(0L)).isGreaterThan(1);
        }
    }

    @Promise("37.7")
    @EveryStrategy
    void aCycleThroughAFullMailboxIsFound(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() no message waits");
        try (var scope = Scopes.on(strategy, events)) {
            var free = scope.anonymous().newActor((Integer n) -> {
            });
            var asker = new AtomicReference<Actor<Integer, Integer>>();
            var begun = new CountDownLatch(1);
            var ask = new CountDownLatch(1);
            var full = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block()))
                    .newActor((Integer n) -> {
                        if (n == 0) {
                            begun.countDown();
                            Waits.on(ask);
                            asker.get().sendMessageReturnWait(0);
                        }
                    });
            var last = Waits.on(Actors.holding(full, free).execFuture(ActorSystem::currentActor));
            Assumptions.assumeTrue(last.equals(Optional.of(full.name())), "the other one is held first");
            asker.set(scope.anonymous().newActorWithReturn((Integer n) -> {
                if (n == 1) {
                    Actors.holding(free, full).execAndWait(() -> {
                    });
                }
                return n;
            }));
            full.sendMessage(0);
            Waits.on(begun);
            full.sendMessage(1);
            try (var gate = Gate.in(free)) {
                var answer = asker.get().sendMessageReturn(1);
                Waits.until("it holds, or waits", () -> asker.get().state() == ActorState.BUSY);
                ask.countDown();
                gate.open();
                assertThat(answer).satisfies(each -> Waits.soon().until(each::isDone));
            }
        }
        assertThat(events.of(Failed.class)).isNotEmpty();
    }

    @Promise("37.7")
    @EveryStrategy
    void theCodeCannotWaitForTheEndOfAnActorThatIsHeld(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (int which = 0; which < 2; which++) {
                var accounts = accounts(scope, 2);
                var one = accounts.get(which).actor;
                Actors.holding(accounts.getFirst().actor, accounts.getLast().actor).execAndWait(() -> {
                    assertThatThrownBy(one::waitForExit).isInstanceOf(IllegalStateException.class);
                    assertThat(one.stop(LONG).stopped()).isFalse();
                    one.close();
                });
                Waits.stopped(one);
            }
        }
    }

    @Promise("37.5")
    @EveryStrategy
    void aSuccessorIsNotHeldForItsPredecessor(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() no message waits");
        try (var scope = Scopes.on(strategy, events);
                var group = scope.anonymous().newGroup(GroupPolicy.oneForOne())) {
            group.add("member", Lifetime.PERMANENT, builder -> builder.onFailure(FailurePolicy.stop())
                    .newActor((Integer n) -> {
                        throw new IllegalStateException("fails");
                    }));
            Waits.until("the member is there", () -> scope.find(ActorName.of("member")).isPresent());
            Actor<Integer, Void> member = scope.<Integer, Void>find(ActorName.of("member")).orElseThrow();
            var other = scope.anonymous().newActor((Integer n) -> {
            });
            var runs = new AtomicInteger();
            try (var gate = Gate.in(member)) {
                member.sendMessage(1);
                var result = Actors.holding(List.of(member)).execFuture(runs::incrementAndGet);
                var both = Actors.holding(member, other).execFuture(runs::incrementAndGet);
                gate.open();
                assertThat(Waits.failure(result)).isInstanceOf(ActorStoppedException.class);
                assertThat(Waits.failure(both)).isInstanceOf(ActorStoppedException.class);
            }
            assertThat(runs).hasValue(0);
            Waits.on(other.sendMessageReturn(1));
        }
    }

    @Promise("37.6")
    @EveryStrategy
    void codeThatRunsIsNotLeftWhenItsTimeIsOver(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var accounts = accounts(scope, 2);
            var inside = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var result = new CompletableFuture<CompletableFuture<Integer>>();
            var giver = Thread.startVirtualThread(() -> result.complete(
                    Actors.holding(accounts.getFirst().actor, accounts.getLast().actor)
                            .within(Duration.ofSeconds(3))
                            .execFuture(() -> {
                                inside.countDown();
                                Waits.on(goOn);
                                return 1;
                            })));
            Waits.on(inside);
            Waits.on(giver);
            time.advance(Duration.ofSeconds(3));
            assertThat(Waits.failure(Waits.on(result))).isInstanceOf(AskTimeoutException.class);
            assertThat(accounts)
                    .allSatisfy(each -> assertThat(each.actor.state()).isEqualTo(ActorState.BUSY));
            goOn.countDown();
            for (var account : accounts) {
                assertThat(Waits.on(account.actor.sendMessageReturn(1L))).isEqualTo(1_001);
            }
        }
    }

    @Promise("37.5")
    @EveryStrategy
    void aForcedStopInterruptsTheCodeAndNotTheActorThatItAsks(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the code runs on this thread");
        try (var scope = Scopes.on(strategy, events)) {
            for (int which = 0; which < 2; which++) {
                var accounts = accounts(scope, 2);
                var inside = new CountDownLatch(1);
                var goOn = new CountDownLatch(1);
                var asked = scope.anonymous().newActorWithReturn((Integer n) -> {
                    inside.countDown();
                    Waits.on(goOn); // throws if it is interrupted
                    return n;
                });
                var result =
                        Actors.holding(accounts.getFirst().actor, accounts.getLast().actor).execFuture(() -> {
                            asked.sendMessageReturnWait(1);
                            return Thread.interrupted();
                        });
                Waits.on(inside);
                assertThat(accounts.get(which).actor.stop(Duration.ZERO).forced()).isTrue();
                goOn.countDown();
                Waits.stopped(accounts.get(which).actor);
                Waits.soon().until(result::isDone);
                if (result.state() == Future.State.SUCCESS) {
                    assertThat(result.resultNow()).as("interrupted after the actor on top of it").isTrue();
                } else {
                    assertThat(result.exceptionNow()).isInstanceOf(InterruptedException.class);
                }
                asked.stop(LONG);
                assertThat(asked.counters().handled()).as("the asked one was not interrupted").isEqualTo(1);
            }
        }
    }

    @Promise("37.5")
    @EveryStrategy
    void callbacksOfCodeThatDoesNotRunAreOutsideTheActors(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the result is there at once");
        try (var scope = Scopes.on(strategy, events)) {
            for (var busyFirst : List.of(true, false)) {
                var busy = new Account(scope, 1).actor;
                var stopped = new Account(scope, 1).actor;
                stopped.stop(LONG);
                var both = busyFirst ? Actors.holding(busy, stopped) : Actors.holding(stopped, busy);
                try (var gate = Gate.in(busy)) {
                    var here =
                            both.execFuture(() -> 1).handle((value, failure) -> ActorSystem.currentActor());
                    gate.open();
                    assertThat(Waits.on(here)).isEmpty();
                }
            }
        }
    }

    @Promise("37.4")
    @EveryStrategy
    void theResultKeepsNeitherTheCodeNorTheActors(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var kept = new ArrayList<CompletableFuture<Integer>>();
            var code = heldWithGarbage(scope, kept);
            Garbage.is(code);
            assertThat(kept).allSatisfy(each -> assertThat(each).isCompleted());
        }
    }

    private static WeakReference<Object> heldWithGarbage(ActorScope scope,
            List<CompletableFuture<Integer>> kept)
            throws Exception {
        var big = new Object();
        var accounts = accounts(scope, 2);
        var result = Actors.holding(accounts.getFirst().actor, accounts.getLast().actor)
                .execFuture(() -> big.hashCode() == 0 ? 0 : 1);
        Waits.on(result);
        kept.add(result);
        for (var account : accounts) {
            account.actor.stop(LONG);
        }
        return new WeakReference<>(big);
    }

    @Promise("37.7")
    @EveryStrategy
    void aHandlerMayHoldOthers(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var accounts = accounts(scope, 2);
            var teller = scope.anonymous().newActorWithReturn((Long cents) -> {
                var result = new long[1];
                Actors.holding(accounts.getFirst().actor, accounts.getLast().actor).execAndWait(() -> {
                    accounts.getFirst().add(-cents);
                    result[0] = accounts.getLast().add(cents);
                });
                return result[0];
            });
            assertThat(Waits.on(teller.sendMessageReturn(5L, LONG))).isEqualTo(1_005);
            assertThat(Waits.on(teller.sendMessageReturn(5L))).isEqualTo(1_010);
            var own = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var later = new CompletableFuture<CompletableFuture<Integer>>();
            own.execAndWait(() -> later.complete(Actors.holding(own, teller).execFuture(() -> 3)));
            assertThat(Waits.on(Waits.on(later))).isEqualTo(3);
        }
    }

    @Promise("37.8")
    @Test
    void whatCannotBeHeldIsRefused() {
        try (var scope = ActorSystem.open("refusals")) {
            var plain = scope.anonymous().newActor((Integer n) -> {
            });
            var stuck = scope.named("stuck").abandonStuck(LONG, LONG).newActor((Integer n) -> {
            });
            Actor<Integer, Void> receiving = scope.named("receiving").newReceivingActor((inbox, n) -> {
            });
            Actor<Integer, Void> workers = Stereotypes.with(scope.named("workers")).workers(n -> {
            });
            for (var each : List.<Actor<?, ?>>of(stuck, receiving, workers)) {
                assertThatThrownBy(() -> Actors.holding(plain, each))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContainingAll("actor '" + each.name() + "'", "hold other actors");
            }
            try (var elsewhere = ActorSystem.configure("elsewhere").time(new ManualTime()).open()) {
                var timed = Actors.holding(plain, elsewhere.anonymous().newActor((Integer n) -> {
                }));
                assertThatThrownBy(() -> timed.within(LONG)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("different clocks");
            }
            assertThatThrownBy(() -> Actors.holding(List.of())).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("at least one actor has to be named");
        }
    }

    private static final List<MailboxPolicy> MAILBOXES =
            List.of(MailboxPolicy.unbounded(), MailboxPolicy.bounded(4, OverflowPolicy.block()));

    private static List<Actor<Integer, Void>> three(ActorScope scope, MailboxPolicy mailbox) {
        return IntStream.range(0, 3)
                .mapToObj(i -> scope.anonymous().mailbox(mailbox).newActor((Integer n) -> {
                })).toList();
    }

    @Promise("37.13")
    @EveryStrategy
    void theCodeRunsWithTheContextOfItsCaller(Strategy strategy) throws Exception {
        var user = new ThreadLocal<String>();
        for (var mailbox : MAILBOXES) {
            try (var scope = Scopes.configure().strategy(strategy.create()).carry(ContextCarrier.of(user))
                    .open()) {
                var actors = three(scope, mailbox);
                user.set("alice");
                var result = Actors.holding(actors).execFuture(user::get);
                user.remove();
                assertThat(Waits.on(result)).isEqualTo("alice");
            } finally {
                user.remove();
            }
        }
    }

    @Promise("37.13")
    @EveryStrategy
    void codeThatWasAcceptedRunsAlthoughTheScopeCloses(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() no message waits");
        for (var mailbox : MAILBOXES) {
            var scope = Scopes.on(strategy, events);
            var actors = three(scope, mailbox);
            var other = scope.anonymous().newActor((Integer n) -> {
            });
            var gates = new ArrayList<Gate>();
            for (var actor : actors.subList(0, 2)) { // one of them is not the last to be taken; a pool has two threads
                gates.add(Gate.in(actor));
            }
            var result = Actors.holding(actors).execFuture(() -> "ran");
            var closer = Thread.startVirtualThread(scope::close);
            Waits.until("the scope is being closed", () -> !other.sendMessage(1));
            var late = Actors.holding(actors).execFuture(() -> "too late");
            assertThat(Waits.failure(late)).isInstanceOf(ActorStoppedException.class);
            gates.forEach(Gate::close);
            assertThat(Waits.on(result)).isEqualTo("ran");
            Waits.on(closer);
        }
    }

    @Promise("37.8")
    @EveryStrategy
    void aFullMailboxRefusesAsItRefusesMessages(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() no message waits");
        try (var scope = Scopes.on(strategy, events)) {
            var full = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.fail()))
                    .newActor((Integer n) -> {
                    });
            var others = IntStream.range(0, 2).mapToObj(i -> scope.anonymous().newActor((Integer n) -> {
            })).toList();
            try (var gate = Gate.in(full)) {
                while (true) {
                    try {
                        full.sendMessage(1);
                    } catch (MailboxFullException e) {
                        break;
                    }
                }
                for (var other : others) {
                    try {
                        var result = Actors.holding(full, other).execFuture(() -> 1);
                        assertThat(Waits.failure(result)).isInstanceOf(MailboxFullException.class);
                    } catch (MailboxFullException e) {
                        assertThat(e).hasMessageContaining(full.name());
                    }
                    Waits.on(other.sendMessageReturn(1));
                }
                gate.open();
            }
            Waits.until("room again", () -> full.state() == ActorState.IDLE);
            assertThat(Waits.on(Actors.holding(full, others.getFirst()).execFuture(() -> 1))).isEqualTo(1);
        }
    }
}
