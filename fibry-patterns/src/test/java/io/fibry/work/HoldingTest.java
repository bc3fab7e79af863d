package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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

class HoldingTest {
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

    private static Holding holding(List<Account> accounts) {
        return Holding.of(accounts.stream().map(each -> each.actor).toList());
    }

    private static long total(List<Account> accounts) throws Exception {
        return holding(accounts).call(held -> accounts.stream().mapToLong(each -> each.cents).sum());
    }

    @Promise("37.1")
    @EveryStrategy
    void noMoneyIsLostOrMade(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var accounts = accounts(scope, 5);
            var givers = new ArrayList<Future<?>>();
            for (int i = 0; i < 4; i++) {
                givers.add(Aside.run(() -> {
                    var random = ThreadLocalRandom.current();
                    for (int n = 0; n < 200; n++) {
                        var from = accounts.get(random.nextInt(5));
                        var to = accounts.get(random.nextInt(5));
                        Holding.of(from.actor, to.actor).run(held -> {
                            from.add(-7);
                            to.add(7);
                        });
                        from.actor.sendMessage(0L);
                    }
                    return null;
                }));
            }
            assertThat(total(accounts)).isEqualTo(5_000);
            for (var giver : givers) {
                Waits.on(giver);
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
            var held = Aside.run(() -> Holding.of(all).<Integer>call(those -> {
                inside.countDown();
                Waits.on(goOn);
                return handled.get();
            }));
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

    /** The actor that asks and the one that it asks: each of the two may be the one that is held first. */
    @Promise("37.1")
    @EveryStrategy
    void anAskOfOthersNeverFailsForIt(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the ask is over before the code is given");
        try (var scope = Scopes.on(strategy, events)) {
            for (int round = 0; round < 50; round++) {
                var child = scope.anonymous().newActorWithReturn((Integer n) -> n + 1);
                var asking = new CountDownLatch(1);
                var ask = new CountDownLatch(1);
                var parent = scope.anonymous().newActorWithReturn((Integer n) -> {
                    asking.countDown();
                    Waits.on(ask);
                    return child.sendMessageReturnWait(n);
                });
                var answer = parent.sendMessageReturn(1);
                Waits.on(asking);
                var runs = new AtomicInteger();
                var held = Aside.run(() -> Holding.of(parent, child).call(those -> runs.incrementAndGet()));
                Waits.until("one is held, or waits", () -> child.state() == ActorState.BUSY
                        || parent.mailboxSize() > 0);
                ask.countDown();
                assertThat(Waits.on(answer)).isEqualTo(2);
                assertThat(Waits.on(held)).isEqualTo(1);
                assertThat(runs).hasValue(1);
            }
        }
        assertThat(events.of(Failed.class)).isEmpty();
    }

    /** Whichever of the two is taken first, attempts do not follow each other for as long as a cycle lasts. */
    @Promise("37.1")
    @Test
    void aWaitThatLastsIsWaitedFor() throws Exception {
        try (var scope = ActorSystem.open("lasting")) {
            for (int round = 0; round < 20; round++) {
                var awaited = scope.anonymous().newActor((String message) -> {
                });
                var waits = new CountDownLatch(1);
                var waiting = scope.anonymous().newActor((String message) -> {
                    waits.countDown();
                    awaited.waitForExit();
                });
                waiting.sendMessage("wait");
                Waits.on(waits);
                Waits.until("it waits", () -> scope.dump().text().contains("waits for"));
                var held = Aside.run(() -> Holding.of(awaited, waiting).call(those -> 1));
                Waits.until("the code waits for the one that waits", () -> waiting.mailboxSize() > 0);
                awaited.askExit();
                assertThat(Waits.failure(held)).hasCauseInstanceOf(ActorStoppedException.class);
                waiting.askExit();
            }
        }
    }

    @Promise("37.1")
    @Test
    void oneThreadIsEnoughForAllOfThem() throws Exception {
        try (var scope = ActorSystem.configure("one thread").strategy(CreationStrategy.pool(1)).open()) {
            var accounts = accounts(scope, 3);
            var givers = new ArrayList<Future<?>>();
            for (int n = 0; n < 30; n++) {
                var from = accounts.get(n % 3);
                var to = accounts.get((n + 1) % 3);
                givers.add(Aside
                        .run(() -> Holding.of(from.actor, to.actor).call(held -> from.add(-1) + to.add(1))));
            }
            for (var giver : givers) {
                Waits.on(giver);
            }
            assertThat(total(accounts)).isEqualTo(3_000);
        }
    }

    @Promise("37.1")
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

    @Promise("37.1")
    @EveryStrategy
    void anActorThatIsNamedTwiceIsHeldOnce(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var account = new Account(scope, 1);
            Holding.of(account.actor, account.actor).run(held -> account.add(2));
            Holding.of(List.of(account.actor)).within(LONG).run(held -> account.add(3));
            assertThat(account.actor.apply(0L)).isEqualTo(6);
        }
    }

    @Promise("37.4")
    @EveryStrategy
    void aFailureIsThatOfAll(Strategy strategy) throws Exception {
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
            assertThatThrownBy(() -> Holding.of(resuming, restarting).run(held -> {
                throw failure;
            })).isInstanceOf(ExecutionException.class).cause().isSameAs(failure);
            var error = new AssertionError("half done");
            assertThatThrownBy(() -> Holding.of(resuming, restarting).run(held -> {
                throw error;
            })).isInstanceOf(ExecutionException.class).cause().isSameAs(error);
            assertThatThrownBy(() -> Holding.of(resuming, restarting, stopping).run(held -> {
                throw new IllegalStateException("half done");
            })).hasCauseInstanceOf(IllegalStateException.class);
            Waits.stopped(stopping);
            assertThat(restarting.apply(0)).isEqualTo(4);
            resuming.sendMessageReturn(1).get();
            events.await(Restarted.class);
        }
    }

    @Promise("37.4")
    @EveryStrategy
    void theCodeGetsTheStates(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var number = scope.anonymous().state(() -> new long[]{1})
                    .newActorWithReturn((long[] state, Long more) -> state[0] += more);
            var text = scope.anonymous().state(StringBuilder::new)
                    .newActorWithReturn((StringBuilder state, String more) -> state.append(more).toString());
            var plain = scope.anonymous().newActor((String message) -> {
            });
            assertThat(number.apply(10L)).isEqualTo(11);
            Holding.of(number, text, plain).within(LONG)
                    .run(held -> held.state(text).append(held.state(number)[0]++));
            assertThat(text.apply(".")).isEqualTo("11.");
            assertThat(number.apply(0L)).isEqualTo(12);
            assertThatThrownBy(() -> Holding.of(text).run(held -> held.state(number)[0] = 7))
                    .hasCauseInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is not held here");
        }
    }

    @Promise("37.4")
    @EveryStrategy
    void aStateThatCannotBeMadeFailsTheCall(Strategy strategy) throws Exception {
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
                assertThatThrownBy(() -> Holding.of(one, other).run(held -> runs.incrementAndGet())).cause()
                        .hasMessage("not yet");
            }
            assertThat(Holding.of(other, one).<Integer>call(held -> runs.incrementAndGet())).isEqualTo(1);
            one.stop(LONG);
            assertThatThrownBy(() -> Holding.of(one, other).call(held -> 1))
                    .hasCauseInstanceOf(ActorStoppedException.class);
            assertThat(other.apply(1)).isEqualTo(1);
        }
    }

    @Promise("37.5")
    @EveryStrategy
    void aStoppedActorFailsTheCallAndTheOthersGoOn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (int stopped = 0; stopped < 3; stopped++) {
                var accounts = accounts(scope, 3);
                accounts.get(stopped).actor.stop(LONG);
                var runs = new AtomicInteger();
                assertThatThrownBy(() -> holding(accounts).run(held -> runs.incrementAndGet()))
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
        assertThat(events.of(Failed.class)).isEmpty();
    }

    @Promise("37.5")
    @EveryStrategy
    void aStopOfAnActorThatIsAwaitedEndsTheCall(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() no message waits");
        try (var scope = Scopes.on(strategy, events)) {
            for (int which = 0; which < 2; which++) {
                var accounts = accounts(scope, 2);
                var busy = accounts.get(which).actor;
                var other = accounts.get(1 - which).actor;
                try (var gate = Gate.in(busy)) {
                    var held = Aside.run(() -> holding(accounts).call(those -> 1));
                    Waits.until("it waits for the busy one", () -> busy.mailboxSize() > 0);
                    busy.askExit();
                    gate.open();
                    assertThat(Waits.failure(held)).hasCauseInstanceOf(ActorStoppedException.class);
                }
                assertThat(Waits.on(other.sendMessageReturn(1L))).isEqualTo(1_001);
            }
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
                var result = Aside.run(() -> holding(accounts).call(held -> {
                    Waits.untilInterrupted(inside, interrupted);
                    return 1;
                }));
                Waits.on(inside);
                var leaver = accounts.get(which).actor;
                leaver.askExit();
                assertThat(leaver.waitForExit(Duration.ofMillis(5))).isFalse();
                assertThat(leaver.stop(Duration.ZERO).forced()).isTrue();
                Waits.on(interrupted);
                Waits.stopped(leaver);
                Waits.until("the call ends", result::isDone);
                assertThat(Waits.on(accounts.get(1 - which).actor.sendMessageReturn(1L))).isEqualTo(1_001);
            }
        }
    }

    @Promise("37.5")
    @EveryStrategy
    void aForcedStopEndsTheWaitOfAnActorThatIsHeld(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() nothing is held while this thread goes on");
        try (var scope = Scopes.on(strategy, events)) {
            var accounts = accounts(scope, 2); // one of the two is taken first, and is held when the other one is busy
            for (int which = 0; which < 2; which++) {
                var busy = accounts.get(which).actor;
                var other = accounts.get(1 - which).actor;
                try (var gate = Gate.in(busy)) {
                    var held = Aside.run(() -> holding(accounts).call(those -> 1));
                    Waits.until("it waits for the busy one", () -> busy.mailboxSize() > 0);
                    if (other.state() == ActorState.BUSY) {
                        assertThat(other.stop(Duration.ZERO).forced()).isTrue();
                        assertThat(Waits.failure(held)).hasCauseInstanceOf(ActorStoppedException.class)
                                .hasMessageContaining("was interrupted while it was held");
                        Waits.stopped(other);
                        gate.open();
                        assertThat(Waits.on(busy.sendMessageReturn(1L))).isEqualTo(1_001);
                        return;
                    }
                    gate.open();
                    Waits.on(held);
                }
            }
            throw new AssertionError("none of the two was held");
        }
    }

    @Promise("37.5")
    @EveryStrategy
    void codeThatHasNotBegunEndsWithItsCallerOrItsTime(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the code has run when the call returns");
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var accounts = accounts(scope, 3);
            var runs = new AtomicInteger();
            for (var busy : accounts) {
                try (var gate = Gate.in(busy.actor)) {
                    var failure = new CompletableFuture<Throwable>();
                    var interrupted = Thread.startVirtualThread(() -> failure.complete(catchThrowable(
                            () -> holding(accounts).run(held -> runs.incrementAndGet()))));
                    var timed = Aside.run(() -> holding(accounts).within(Duration.ofSeconds(3))
                            .call(held -> runs.incrementAndGet()));
                    Waits.until("one waits for the busy one", () -> busy.actor.mailboxSize() > 0);
                    interrupted.interrupt();
                    assertThat(Waits.on(failure)).isInstanceOf(InterruptedException.class);
                    Waits.until("the other does", () -> busy.actor.mailboxSize() > 0 && time.pending() > 0);
                    time.advance(Duration.ofSeconds(3));
                    assertThat(Waits.failure(timed)).hasCauseInstanceOf(AskTimeoutException.class);
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

    @Promise("37.5")
    @EveryStrategy
    void codeThatRunsIsNotLeftWhenItsTimeIsOver(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the code runs on this thread");
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var accounts = accounts(scope, 2);
            var inside = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var result = Aside.run(() -> holding(accounts).within(Duration.ofSeconds(3)).call(held -> {
                inside.countDown();
                Waits.on(goOn);
                return 1;
            }));
            Waits.on(inside);
            time.advance(Duration.ofSeconds(3));
            assertThat(accounts)
                    .allSatisfy(each -> assertThat(each.actor.state()).isEqualTo(ActorState.BUSY));
            assertThat(result.isDone()).isFalse();
            goOn.countDown();
            assertThat(Waits.on(result)).isEqualTo(1);
            for (var account : accounts) {
                assertThat(Waits.on(account.actor.sendMessageReturn(1L))).isEqualTo(1_001);
            }
        }
    }

    @Promise("37.7")
    @EveryStrategy
    void waitsThatWouldNeverEndAreCycles(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var one = new Account(scope, 1);
            var other = new Account(scope, 1);
            var both = Holding.of(one.actor, other.actor);
            assertThatThrownBy(() -> both.run(held -> one.actor.apply(1L)))
                    .hasCauseInstanceOf(AskCycleException.class);
            assertThatThrownBy(() -> both.run(held -> other.actor.sendMessageReturnWait(1L)))
                    .hasCauseInstanceOf(AskCycleException.class);
            var asker = scope.anonymous().newActorWithReturn((Integer n) -> one.actor.apply(1L));
            assertThatThrownBy(() -> both.run(held -> asker.apply(1))).isInstanceOf(ExecutionException.class);
            var money = one.actor.apply(0L);
            for (var inside : List.of(one, other)) {
                assertThatThrownBy(() -> inside.actor.execAndWait(() -> both.run(held -> one.add(1))))
                        .hasCauseInstanceOf(AskCycleException.class)
                        .hasMessageContaining("waits for code that holds");
            }
            assertThat(one.actor.apply(0L)).as("code that is refused does not run later").isEqualTo(money);
            var third = new Account(scope, 1);
            assertThatThrownBy(() -> third.actor.execAndWait(
                    () -> both.run(held -> third.actor.sendMessageReturnWait(1L))))
                    .isInstanceOf(ExecutionException.class);
            both.run(held -> one.add(third.actor.apply(0L)));
            assertThat(one.actor.apply(0L)).isGreaterThan(1);
        }
    }

    /** One of the actors waits for the caller: so it is the caller that cannot go on. */
    @Promise("37.7")
    @EveryStrategy
    void aCallerThatIsAwaitedByAnActorIsRefused(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() no message waits");
        try (var scope = Scopes.on(strategy, events)) {
            for (int which = 0; which < 2; which++) {
                var asks = new CountDownLatch(1);
                var caller = new AtomicReference<Actor<Integer, Integer>>();
                var asking = scope.anonymous().newActorWithReturn((Integer n) -> {
                    asks.countDown();
                    return caller.get().sendMessageReturnWait(1);
                });
                var free = scope.anonymous().newActorWithReturn((Integer n) -> n);
                var all = which == 0 ? Holding.of(asking, free) : Holding.of(asking);
                caller.set(scope.anonymous().newActorWithReturn((Integer n) -> {
                    if (n == 0) {
                        Waits.on(asks);
                        assertThatThrownBy(() -> all.call(held -> 1)).isInstanceOf(AskCycleException.class)
                                .hasMessageContaining("waits for code that holds");
                    }
                    return n;
                }));
                var first = caller.get().sendMessageReturn(0);
                Waits.until("it works", () -> caller.get().mailboxSize() == 0);
                assertThat(Waits.on(asking.sendMessageReturn(1))).isEqualTo(1);
                assertThat(Waits.on(first)).isZero();
            }
        }
    }

    @Promise("37.7")
    @EveryStrategy
    void aHandlerMayHoldOthers(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var accounts = accounts(scope, 2);
            var teller = scope.anonymous().newActorWithReturn((Long cents) -> {
                var result = new long[1];
                holding(accounts).run(held -> {
                    accounts.getFirst().add(-cents);
                    result[0] = accounts.getLast().add(cents);
                });
                return result[0];
            });
            assertThat(Waits.on(teller.ask(5L, LONG))).isEqualTo(1_005);
            assertThat(Waits.on(teller.sendMessageReturn(5L))).isEqualTo(1_010);
        }
    }

    @Promise("37.7")
    @EveryStrategy
    void theCodeCannotWaitForTheEndOfAnActorThatIsHeld(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (int which = 0; which < 2; which++) {
                var accounts = accounts(scope, 2);
                var one = accounts.get(which).actor;
                holding(accounts).run(held -> {
                    assertThat(one.stop(Duration.ofMillis(1)).stopped()).isFalse();
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
                var result = Aside.run(() -> Holding.of(member).call(held -> runs.incrementAndGet()));
                var both = Aside.run(() -> Holding.of(member, other).call(held -> runs.incrementAndGet()));
                Waits.until("both wait", () -> member.mailboxSize() == 3);
                gate.open();
                assertThat(Waits.failure(result)).hasCauseInstanceOf(ActorStoppedException.class);
                assertThat(Waits.failure(both)).hasCauseInstanceOf(ActorStoppedException.class);
            }
            assertThat(runs).hasValue(0);
            Waits.on(other.sendMessageReturn(1));
        }
    }

    @Promise("37.7")
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
                assertThatThrownBy(() -> Holding.of(each).run(held -> {
                })).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContainingAll("actor '" + each.name() + "'", "hold other actors");
                assertThatThrownBy(() -> Holding.of(plain, each).run(held -> {
                })).hasStackTraceContaining("hold other actors");
            }
            assertThatThrownBy(() -> Holding.of(List.of())).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("at least one actor has to be named");
            assertThatThrownBy(() -> Holding.of(plain).within(Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("PT0S");
        }
    }

    private static final List<MailboxPolicy> MAILBOXES =
            List.of(MailboxPolicy.unbounded(), MailboxPolicy.bounded(4, OverflowPolicy.block()));

    private static List<Actor<Integer, Void>> three(ActorScope scope, MailboxPolicy mailbox) {
        return IntStream.range(0, 3)
                .mapToObj(i -> scope.anonymous().mailbox(mailbox).newActor((Integer n) -> {
                })).toList();
    }

    @Promise("37.4")
    @EveryStrategy
    void theCodeRunsWithTheContextOfItsCaller(Strategy strategy) throws Exception {
        var user = new ThreadLocal<String>();
        for (var mailbox : MAILBOXES) {
            try (var scope = Scopes.configure().strategy(strategy.create()).carry(ContextCarrier.of(user))
                    .open()) {
                user.set("alice");
                assertThat(Holding.of(three(scope, mailbox)).<String>call(held -> user.get()))
                        .isEqualTo("alice");
            } finally {
                user.remove();
            }
        }
    }

    @Promise("37.4")
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
            var result = Aside.run(() -> Holding.of(actors).call(held -> "ran"));
            Waits.until("it waits", () -> actors.stream().anyMatch(each -> each.mailboxSize() > 0));
            var closer = Thread.startVirtualThread(scope::close);
            Waits.until("the scope is being closed", () -> !other.sendMessage(1));
            assertThatThrownBy(() -> Holding.of(actors).call(held -> "too late"))
                    .hasCauseInstanceOf(ActorStoppedException.class);
            gates.forEach(Gate::close);
            assertThat(Waits.on(result)).isEqualTo("ran");
            Waits.on(closer);
        }
    }

    @Promise("37.7")
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
                while (catchThrowable(() -> full.sendMessage(1)) == null) {
                    Thread.onSpinWait();
                }
                for (var other : others) {
                    assertThatThrownBy(() -> Holding.of(full, other).call(held -> 1))
                            .satisfiesAnyOf(e -> assertThat(e).isInstanceOf(MailboxFullException.class),
                                    e -> assertThat(e).hasCauseInstanceOf(MailboxFullException.class))
                            .hasMessageContaining(full.name());
                    Waits.on(other.sendMessageReturn(1));
                }
                gate.open();
            }
            Waits.until("room again", () -> full.state() == ActorState.IDLE);
            assertThat(Holding.of(full, others.getFirst()).<Integer>call(held -> 1)).isEqualTo(1);
        }
    }

    /** Holders of few actors in all orders, and asks among these actors, that would close cycles: all end, and none fails. */
    @Promise("37.1")
    @EveryStrategy
    void asksAndHoldersAmongFewActorsAllEnd(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() an ask runs on the thread of the asker");
        try (var scope = Scopes.on(strategy, events)) {
            var actors = new ArrayList<Actor<Integer, Integer>>();
            for (int i = 0; i < 4; i++) {
                var next = i; // an actor asks those before it only, so asks alone close no cycle
                actors.add(scope.anonymous().newActorWithReturn((Integer n) -> {
                    if (next > 0 && n > 0) {
                        return actors.get(n % next).sendMessageReturnWait(n - 1);
                    }
                    return 0;
                }));
            }
            var running = new ArrayList<Future<?>>();
            for (int i = 0; i < 6; i++) {
                var holds = i % 2 == 0;
                running.add(Aside.run(() -> {
                    var random = ThreadLocalRandom.current();
                    for (int n = 0; n < 150; n++) {
                        if (holds) {
                            var some = new ArrayList<>(actors);
                            Collections.shuffle(some, random);
                            Holding.of(some.subList(0, 2 + random.nextInt(3)))
                                    .run(held -> Thread.onSpinWait());
                        } else {
                            actors.get(random.nextInt(4)).sendMessageReturnWait(random.nextInt(5));
                        }
                    }
                    return null;
                }));
            }
            for (var each : running) {
                Waits.on(each);
            }
        }
        assertThat(events.of(Failed.class)).isEmpty();
    }

    @Promise("37.5")
    @EveryStrategy
    void theInterruptOfTheCallerReachesTheCode(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the code runs on this thread");
        try (var scope = Scopes.on(strategy, events)) {
            var accounts = accounts(scope, 2);
            var inside = new CountDownLatch(1);
            var interrupted = new CountDownLatch(1);
            var flag = new CompletableFuture<Boolean>();
            var caller = Thread.startVirtualThread(() -> {
                catchThrowable(
                        () -> holding(accounts).run(held -> Waits.untilInterrupted(inside, interrupted)));
                flag.complete(Thread.interrupted());
            });
            Waits.on(inside);
            caller.interrupt();
            Waits.on(interrupted);
            assertThat(Waits.on(flag)).isTrue();
            for (var account : accounts) {
                assertThat(Waits.on(account.actor.sendMessageReturn(1L))).isEqualTo(1_001);
            }
        }
    }

    @Test
    void theTextNamesTheActors() {
        try (var scope = ActorSystem.open("text")) {
            var one = scope.named("one").newActor((Integer n) -> {
            });
            assertThat(Holding.of(one)).hasToString("Holding['one']");
            assertThat(ActorSystem.currentActor()).isEmpty();
        }
    }
}
