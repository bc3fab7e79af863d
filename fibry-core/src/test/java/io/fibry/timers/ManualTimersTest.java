package io.fibry.timers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.Aside;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A clock that is moved by hand gives the same on every strategy. */
class ManualTimersTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final List<String> TEN = each("tick", 1, 10);

    private final ManualTime time = new ManualTime();
    private final List<String> got = new CopyOnWriteArrayList<>();

    private static List<String> each(String what, int first, int last) {
        return IntStream.rangeClosed(first, last).mapToObj(n -> what + "@" + 1_000 * n).toList();
    }

    private void note(String what) {
        got.add(what + "@" + time.nanoTime() / 1_000_000);
    }

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, event -> {
        }, time);
    }

    /** An actor that sets a timer when it is told to, and notes what comes. */
    private Actor<Object, Void> ticking(ActorScope scope, MailboxPolicy mailbox) {
        return scope.anonymous().mailbox(mailbox).newActor((context, message) -> {
            if (message instanceof Schedule schedule) {
                context.timers().set(schedule, schedule, "tick");
            } else {
                note(message.toString());
            }
        });
    }

    /** What one of them has run may set the next tick, which is due before the end of the other one. */
    @Promise("20.11")
    @EveryStrategy
    void threadsThatMoveTheClockAtTheSameTimeMissNothing(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            ticking(scope, MailboxPolicy.unbounded()).sendMessage(Schedule.fixedRate(SECOND));
            var others = new ArrayList<Future<?>>();
            for (int i = 0; i < 2; i++) {
                others.add(Aside.run(() -> {
                    for (int n = 0; n < 50; n++) {
                        time.advanceToNext();
                    }
                    return null;
                }));
            }
            time.advance(SECOND.multipliedBy(100));
            for (var other : others) {
                Waits.on(other);
            }
            time.awaitRest();
            assertThat(got).isEqualTo(each("tick", 1, (int) (time.nanoTime() / SECOND.toNanos())));
        }
    }

    @Promise("20.11")
    @EveryStrategy
    void anAdvanceOfTenSecondsOverARateOfOneGivesTenTicksEachAtItsTime(Strategy strategy) {
        for (var mailbox : List.of(MailboxPolicy.unbounded(),
                MailboxPolicy.bounded(4, OverflowPolicy.block()))) {
            for (var schedule : List.of(Schedule.fixedRate(SECOND), Schedule.fixedDelay(SECOND))) {
                got.clear();
                var clock = new ManualTime();
                try (var scope = Scopes.on(strategy, event -> {
                }, clock)) {
                    var actor = scope.anonymous().mailbox(mailbox).newActor((context, message) -> {
                        if (message instanceof Schedule when) {
                            context.timers().set("key", when, "tick");
                        } else {
                            Thread.yield();
                            got.add(message + "@" + clock.nanoTime() / 1_000_000);
                        }
                    });
                    actor.sendMessage(schedule);
                    clock.advance(Duration.ofSeconds(10));
                    assertThat(got).isEqualTo(TEN);
                }
            }
        }
    }

    @Promise("20.11")
    @EveryStrategy
    void severalTimersOfSeveralActorsComeInTheOrderOfTheirTimes(Strategy strategy) {
        try (var scope = scope(strategy)) {
            var expected = new ArrayList<String>();
            for (int actors = 0; actors < 3; actors++) {
                var name = "n" + actors;
                var millis = 700 + 250 * actors;
                scope.anonymous().newActor((context, message) -> {
                    if (message.equals("start")) {
                        context.timers().fixedRate("key", Duration.ofMillis(millis), name);
                    } else {
                        note(message.toString());
                    }
                }).sendMessage("start");
                for (int at = millis; at <= 10_000; at += millis) {
                    expected.add(name + "@" + at);
                }
            }
            time.advance(Duration.ofSeconds(10));
            expected.sort((a, b) -> Integer.compare(at(a), at(b)));
            assertThat(got.stream().map(ManualTimersTest::at)).isSorted();
            assertThat(got).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    private static int at(String note) {
        return Integer.parseInt(note.substring(note.indexOf('@') + 1));
    }

    @Promise("20.11")
    @EveryStrategy
    void whatATickLeadsToHappensAtItsTime(Strategy strategy) {
        try (var scope = scope(strategy)) {
            var last = scope.anonymous().newActor((context, message) -> {
                if (message.equals("half")) {
                    note("half");
                } else {
                    context.timers().once("half", Duration.ofMillis(500), "half");
                }
            });
            var middle = scope.anonymous().newActorWithReturn((Object message) -> last.sendMessage(message));
            var first = scope.anonymous().newActor((context, message) -> {
                if (message.equals("tick")) {
                    middle.apply("tick");
                    note("tick");
                }
                context.timers().once("again", SECOND, "tick");
            });
            first.sendMessage("start");
            time.advance(Duration.ofSeconds(3));
            time.awaitRest();
            assertThat(got).containsExactly("tick@1000", "half@1500", "tick@2000", "half@2500", "tick@3000");
        }
    }

    @Promise("20.11")
    @EveryStrategy
    void aBodyThatReceivesAndASchedulerKeepTheTimeToo(Strategy strategy) {
        assumeTrue(strategy != Strategy.CALLER, "the body would have its maker's thread for itself");
        try (var scope = scope(strategy)) {
            scope.anonymous().newReceivingActor(context -> {
                context.timers().fixedDelay("key", SECOND, "tick");
                for (int i = 0; i < 5; i++) {
                    note(context.receive("tick"::equals).toString());
                }
                for (int i = 0; i < 5; i++) {
                    context.timers().cancel("key");
                    assertThat(context.receive(message -> true, SECOND)).isEmpty();
                    note("tick");
                }
            });
            time.advance(Duration.ofSeconds(10));
            assertThat(got).isEqualTo(TEN);
        }
    }

    @Promise("20.11")
    @EveryStrategy
    void whatIsScheduledInAScopeHappensAtItsTime(Strategy strategy) {
        try (var scope = scope(strategy)) {
            var actor = ticking(scope, MailboxPolicy.unbounded());
            scope.schedule(Schedule.fixedRate(SECOND), actor, "tick");
            time.advance(Duration.ofSeconds(10));
            assertThat(got).isEqualTo(TEN);
            got.clear();
            scope.schedule(Schedule.fixedDelay(SECOND), () -> note("run"));
            time.advance(Duration.ofSeconds(5));
            assertThat(got.stream().filter(note -> note.startsWith("run"))).isEqualTo(each("run", 11, 15));
        }
    }

    @Promise("20.11")
    @EveryStrategy
    void anActorThatIsRestartedTicksOnAtTheTimesThatItSets(Strategy strategy) {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous()
                    .onFailure(new FailurePolicy.Restart(10, Duration.ofMinutes(1),
                            new FailurePolicy.Backoff(SECOND, SECOND, 0)))
                    .<String>newActorFrom(context -> {
                        context.timers().once("key", SECOND, "tick");
                        return message -> {
                            note(message);
                            throw new IllegalStateException("on purpose");
                        };
                    });
            actor.sendMessage("first");
            time.advance(Duration.ofSeconds(9));
            assertThat(got).containsExactly("first@0", "tick@2000", "tick@4000", "tick@6000", "tick@8000");
        }
    }

    @Promise("20.11")
    @EveryStrategy
    void anActorThatStandsIsNotWaitedForAndItsTickIsLate(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var stands = ticking(scope, MailboxPolicy.unbounded());
            var other = scope.anonymous().newActor((context, message) -> {
                if (message.equals("start")) {
                    context.timers().fixedRate("key", SECOND, "other");
                } else {
                    note(message.toString());
                }
            });
            stands.sendMessage(Schedule.fixedRate(SECOND));
            other.sendMessage("start");
            time.awaitRest();
            try (var gate = Gate.in(stands)) {
                time.advance(Duration.ofMillis(5_500));
                gate.open();
            }
            time.awaitRest();
            time.advance(SECOND);
            var all = new ArrayList<>(each("other", 1, 5));
            all.add("tick@5500");
            assertThat(got.subList(0, 6)).isEqualTo(all);
            assertThat(got.subList(6, 8)).containsExactlyInAnyOrder("other@6000", "tick@6000");
        }
    }

    @Promise("20.11")
    @EveryStrategy
    void actorsOfTwoScopesThatTellEachOtherAreWaitedFor(Strategy strategy) throws Exception {
        try (var first = scope(strategy); var second = scope(strategy)) {
            var other = new CompletableFuture<Actor<Integer, Void>>();
            Actor<Integer, Void> one = first.anonymous()
                    .newActor((Integer left) -> passOn(left, other.join()));
            other.complete(second.anonymous().newActor((Integer left) -> passOn(left, one)));
            time.schedule(SECOND.toNanos(), () -> one.sendMessage(20));
            time.advance(SECOND.multipliedBy(2));
            assertThat(got).isEqualTo(List.of("last@1000"));
        }
    }

    private void passOn(int left, Actor<Integer, Void> to) {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < 2_000_000) {
            Thread.onSpinWait(); // longer than somebody who looks needs to find the other scope at rest
        }
        if (left == 0) {
            note("last");
        } else {
            to.sendMessage(left - 1);
        }
    }

    @Promise("20.11")
    @Test
    void scopesThatTellEachOtherForEverEndTheAdvanceWithAnError() throws Exception {
        var impatient = new ManualTime(Instant.EPOCH, Duration.ofMillis(100));
        var over = new AtomicBoolean();
        try (var first = Scopes.on(Strategy.FIBERS, event -> {
        }, impatient); var second = Scopes.on(Strategy.FIBERS, event -> {
        }, impatient)) {
            var other = new CompletableFuture<Actor<Integer, Void>>();
            Actor<Integer, Void> one = first.named("one")
                    .newActor((Integer left) -> passOn(over.get() ? 0 : 2, other.join()));
            other.complete(second.named("other").newActor((Integer left) -> passOn(left, one)));
            one.sendMessage(1);
            assertThatThrownBy(() -> impatient.advance(SECOND)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("PT0.1S");
            assertThat(impatient.nanoTime()).isZero();
            over.set(true);
        }
    }

    @Promise("20.11")
    @Test
    void aHandlerThatComputesForEverEndsTheAdvanceWithAnErrorThatNamesIt() throws Exception {
        var impatient = new ManualTime(Instant.EPOCH, Duration.ofMillis(100));
        var over = new CountDownLatch(1);
        try (var scope = Scopes.on(Strategy.THREADS, event -> {
        }, impatient)) {
            var begun = new CompletableFuture<Boolean>();
            var busy = scope.named("busy").newActor((String message) -> {
                begun.complete(true);
                while (over.getCount() > 0) {
                    Thread.onSpinWait();
                }
            });
            busy.sendMessage("compute");
            Waits.on(begun);
            assertThatThrownBy(() -> impatient.advance(SECOND)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("actor 'busy'").hasMessageContaining("ManualTimersTest")
                    .hasMessageContaining("1970-01-01T00:00:00Z").hasMessageContaining("PT0.1S");
            assertThatThrownBy(impatient::awaitRest).hasMessageContaining("actor 'busy'");
            assertThat(impatient.nanoTime()).isZero();
            over.countDown();
        }
    }

    @Promise("20.11")
    @EveryStrategy
    void aHandlerThatMovesTheClockIsNotWaitedFor(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var ticks = ticking(scope, MailboxPolicy.unbounded());
            ticks.sendMessage(Schedule.fixedRate(SECOND));
            Actor<Duration, Boolean> mover = scope.anonymous().newActorWithReturn((Duration far) -> {
                time.advance(far);
                return true;
            });
            assertThat(Waits.on(mover.sendMessageReturn(Duration.ofSeconds(10)))).isTrue();
            time.awaitRest();
            assertThat(got).isEqualTo(TEN);
        }
    }

    @Promise("20.11")
    @Test
    void anInterruptedThreadWaitsForNobodyAndKeepsItsFlag() throws Exception {
        try (var scope = scope(Strategy.FIBERS)) {
            var actor = ticking(scope, MailboxPolicy.unbounded());
            try (var gate = Gate.in(actor)) {
                Thread.currentThread().interrupt();
                time.advance(SECOND);
                assertThat(Thread.interrupted()).isTrue();
                gate.open();
            }
        }
        assertThatThrownBy(() -> new ManualTime(Instant.EPOCH, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("PT-1S");
    }

    @Promise("20.11")
    @Test
    void aHandleSaysHowItGoes() throws Exception {
        try (var scope = scope(Strategy.FIBERS)) {
            var actor = scope.anonymous()
                    .<Object, Scheduled>newActorWithReturn((context, message) -> message.equals("set")
                            ? context.timers().fixedRate("key", SECOND, "tick") : null);
            var timer = Waits.on(actor.sendMessageReturn("set"));
            time.advance(Duration.ofSeconds(10));
            assertThat(timer.fired()).isEqualTo(10);
            assertThat(timer.next()).contains(SECOND);
        }
    }
}
