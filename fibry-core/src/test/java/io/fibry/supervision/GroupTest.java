package io.fibry.supervision;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.fibry.Actor;
import io.fibry.ActorGroup;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.GroupPolicy.Affected;
import io.fibry.Lifetime;
import io.fibry.event.Escalated;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GroupTest {
    private static final Duration KILL_AT = Duration.ofMillis(1);
    private static final int LATE = 3;

    private enum Outcome {
        NORMAL, ERROR, KILLED
    }

    private final Recorder recorder = new Recorder();
    private final List<String> starts = new CopyOnWriteArrayList<>();
    private final CountDownLatch working = new CountDownLatch(1);

    /** Equals all others, and has no hash code. */
    private static final class Equal extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public boolean equals(Object other) {
            return other instanceof Equal;
        }

        @Override
        public int hashCode() {
            throw new IllegalStateException("on purpose");
        }
    }

    @Promise("19.12")
    @EveryStrategy
    void startsThatFailWithEqualExceptionsDiffer(Strategy strategy) {
        for (var pause : List.of(Duration.ZERO, Duration.ofSeconds(1))) {
            starts.clear();
            var time = new ManualTime();
            var policy = FailurePolicy.restart(9, Duration.ofMinutes(1));
            try (var scope = Scopes.on(strategy, recorder, time);
                    var group = scope.named("group").newGroup(new GroupPolicy(Affected.ALL,
                            pause.isZero() ? policy : policy.withBackoff(pause, pause, 0)))) {
                group.add("a", Lifetime.PERMANENT, builder -> {
                    var actor = start(builder, "a");
                    if (starts.size() == 3 || starts.size() == 4) {
                        throw new Equal();
                    }
                    return actor;
                });
                group.add("b", Lifetime.PERMANENT, builder -> start(builder, "b"));
                scope.<Integer, Integer>find(ActorName.of("b")).orElseThrow().sendMessage(0);
                soon().until(() -> {
                    if (!pause.isZero()) {
                        time.advance(pause);
                    }
                    return starts.size() == 6;
                });
                assertThat(starts).containsExactly("a", "b", "a", "a", "a", "b");
            }
        }
    }

    private Actor<Integer, Integer> start(io.fibry.ActorBuilder builder, String name) {
        starts.add(name);
        return builder.newActorWithReturn((Integer n) -> {
            if (n < 0) {
                working.countDown();
                Thread.sleep(Duration.ofMinutes(1)); // until it is interrupted
            }
            return 10 / n;
        });
    }

    private void end(Actor<Integer, Integer> actor, Outcome outcome) throws Exception {
        switch (outcome) {
            case NORMAL -> actor.close();
            case ERROR -> {
                actor.sendMessage(0);
                actor.waitForExit();
            }
            case KILLED -> {
                var busy = Thread.startVirtualThread(() -> actor.sendMessage(-1));
                Waits.on(working); // else the message would wait, and its successor get it
                actor.stop(KILL_AT);
                Waits.on(busy);
            }
        }
    }

    static Stream<Arguments> matrix() {
        var cells = new ArrayList<Arguments>();
        for (var affected : Affected.values()) {
            for (var lifetime : Lifetime.values()) {
                for (var outcome : Outcome.values()) {
                    for (var strategy : Strategy.values()) {
                        cells.add(Arguments.of(affected, lifetime, outcome, strategy));
                    }
                }
            }
        }
        return cells.stream();
    }

    /** Three members; the one in the middle ends. */
    @Promise("19.12")
    @ParameterizedTest(name = "{0} {1} {2} {3}")
    @MethodSource("matrix")
    void whoIsStartedAgain(Affected affected, Lifetime lifetime, Outcome outcome, Strategy strategy)
            throws Exception {
        try (var scope = Scopes.on(strategy, recorder);
                var group = scope.named("group")
                        .newGroup(
                                new GroupPolicy(affected, FailurePolicy.restart(3, Duration.ofMinutes(1))))) {
            group.add("first", Lifetime.PERMANENT, builder -> start(builder, "first"));
            group.add("middle", lifetime, builder -> start(builder, "middle"));
            group.add("last", Lifetime.PERMANENT, builder -> start(builder, "last"));
            assertThat(starts).containsExactly("first", "middle", "last");
            starts.clear();

            end(member(scope, "middle"), outcome);

            var comesBack = lifetime == Lifetime.PERMANENT
                    || (lifetime == Lifetime.TRANSIENT && outcome != Outcome.NORMAL);
            var expected = !comesBack ? List.<String>of() : switch (affected) {
                case ONE -> List.of("middle");
                case ALL -> List.of("first", "middle", "last");
                case REST -> List.of("middle", "last");
            };
            if (comesBack) {
                Waits.until("the restart", () -> starts.size() >= expected.size());
                group.actor().execAndWait(() -> {
                });
                assertThat(member(scope, "middle").sendMessageReturn(5).get()).isEqualTo(2);
            } else {
                group.actor().execAndWait(() -> {
                });
                Waits.until("the end", () -> scope.<Integer, Integer>find(ActorName.of("middle")).isEmpty());
            }
            assertThat(starts).isEqualTo(expected);
            assertThat(member(scope, "first").sendMessageReturn(5).get()).isEqualTo(2);
            assertThat(member(scope, "last").sendMessageReturn(5).get()).isEqualTo(2);
        }
    }

    private static Actor<Integer, Integer> member(ActorScope scope, String name) {
        return scope.<Integer, Integer>find(ActorName.of(name)).orElseThrow();
    }

    @Promise("19.13")
    @EveryStrategy
    void whatWaitsGoesToTheSuccessorInOrder(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var handled = new CopyOnWriteArrayList<Integer>();
            var group = scope.named("group").newGroup(GroupPolicy.oneForOne().limits(
                    FailurePolicy.restart().withBackoff(Duration.ofSeconds(1), Duration.ofSeconds(1), 0)));
            group.add("member", Lifetime.PERMANENT, builder -> builder.newActorWithReturn((Integer n) -> {
                handled.add(n);
                return 10 / n;
            }));
            var first = member(scope, "member");
            try (var gate = Gate.in(first)) {
                first.sendMessage(0);
                first.sendMessage(1);
                first.sendMessage(2);
                gate.open();
            }
            var ask = first.sendMessageReturn(5);
            first.waitForExit();
            Waits.until("the pause", () -> time.pending() > 0);
            assertThat(scope.sendOrKeep(ActorName.of("member"), 3, 5)).isTrue();
            assertThat(first.sendMessage(4)).isFalse();
            time.advance(Duration.ofSeconds(1));
            Waits.until("all", () -> handled.contains(3));
            assertThat(handled).filteredOn(n -> n != 5).containsExactly(0, 1, 2, 3);
            // Sent before it had failed, the ask is answered by the successor; else it was refused.
            assertThat(ask.isCompletedExceptionally()).isEqualTo(!handled.contains(5));
            assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message)
                    .doesNotContain(0, 1, 2, 3);
            group.close();
        }
    }

    @Promise("19.13")
    @EveryStrategy
    void whatWaitsForAMemberThatDoesNotComeBackIsUndelivered(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder);
                var group = scope.anonymous().newGroup(GroupPolicy.oneForOne())) {
            group.add("member", Lifetime.TEMPORARY, builder -> builder.newActor((Integer n) -> {
                throw new IllegalStateException();
            }));
            var member = scope.<Integer, Void>find(ActorName.of("member")).orElseThrow();
            try (var gate = Gate.in(member)) {
                member.sendMessage(1);
                member.sendMessage(2);
                gate.open();
            }
            member.waitForExit();
            Waits.until("the report", () -> !recorder.of(Undelivered.class).isEmpty());
            assertThat(recorder.only(Undelivered.class).message()).isEqualTo(2);
            assertThat(scope.counters().total()).isGreaterThanOrEqualTo(3);
        }
    }

    @Promise("19.12")
    @EveryStrategy
    void aGroupThatRestartsTooOftenGivesUp(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var tries = new AtomicInteger();
            var group = scope.named("group")
                    .newGroup(
                            GroupPolicy.oneForOne().limits(FailurePolicy.restart(3, Duration.ofMinutes(1))));
            group.add("good", Lifetime.PERMANENT, builder -> start(builder, "good"));
            var good = member(scope, "good");
            group.add("bad", Lifetime.PERMANENT, builder -> {
                tries.incrementAndGet();
                throw new IllegalStateException("never starts");
            });
            group.actor().waitForExit();
            assertThat(tries).hasValue(4);
            assertThat(good.waitForExit(Duration.ZERO)).isTrue();
            assertThat(recorder.only(Escalated.class)).satisfies(event -> {
                assertThat(event.actor()).isEqualTo("group");
                assertThat(event.cause()).hasMessage("never starts");
            });
            assertThatThrownBy(() -> group.add("late", Lifetime.PERMANENT, builder -> start(builder, "late")))
                    .isInstanceOf(ActorStoppedException.class);
        }
    }

    @Promise("19.12")
    @EveryStrategy
    void namesAreUnique(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder);
                var group = scope.anonymous().newGroup(GroupPolicy.allForOne())) {
            group.add("tom", Lifetime.PERMANENT, builder -> start(builder, "tom"));
            assertThatThrownBy(() -> group.add("tom", Lifetime.PERMANENT, builder -> start(builder, "tom")))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'tom'");
            assertThat(starts).containsExactly("tom");
        }
    }

    /** A stranger has the name when the successor is to be started, and keeps it. */
    @Promise({"19.13", "4.1", "5.2"})
    @EveryStrategy
    void whatWaitsForAMemberWhoseNameIsTakenIsUndelivered(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var group = scope.named("group").newGroup(GroupPolicy.oneForOne().limits(FailurePolicy
                    .restart(3, Duration.ofHours(1)).withBackoff(KILL_AT, KILL_AT, 0)));
            group.add("member", Lifetime.PERMANENT, builder -> start(builder, "member"));
            var first = member(scope, "member");
            var asks = new ArrayList<CompletableFuture<Integer>>();
            try (var gate = Gate.in(first)) {
                first.sendMessage(0);
                first.sendMessage(1);
                for (int n = 2; n < 5; n++) {
                    asks.add(first.sendMessageReturn(n));
                }
                gate.open();
            }
            Waits.stopped(first);
            Waits.until("the pause", () -> time.pending() > 0);
            var stranger = scope.named("member").newActorWithReturn((Integer n) -> -n);
            for (int tries = 0; tries < 3; tries++) {
                Waits.until("the pause", () -> time.pending() > 0);
                time.advance(KILL_AT);
            }
            Waits.stopped(group.actor());
            for (var ask : asks) {
                assertThat(Waits.failure(ask)).isInstanceOf(ActorStoppedException.class);
            }
            assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message)
                    .containsExactlyInAnyOrder(1, 2, 3, 4);
            assertThat(stranger.sendMessageReturn(7).get()).isEqualTo(-7);
            stranger.close();
            var members = scope.counters().total() - group.actor().counters().total();
            assertThat(members).as("the gate's code, what was sent, and the stranger's").isEqualTo(1 + 5 + 1);
        }
    }

    /** A stranger has the name for a while. */
    @Promise("19.13")
    @EveryStrategy
    void whatWaitsForAMemberIsHandledWhenItsNameIsFreeAgain(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var group = groupWithPauses(scope);
            var first = member(scope, "member");
            CompletableFuture<Integer> ask;
            try (var gate = Gate.in(first)) {
                first.sendMessage(0);
                ask = first.sendMessageReturn(5);
                gate.open();
            }
            Waits.stopped(first);
            Waits.until("the pause", () -> time.pending() > 0);
            var stranger = scope.named("member").newActorWithReturn((Integer n) -> -n);
            time.advance(KILL_AT);
            Waits.until("the next pause", () -> time.pending() > 0);
            assertThat(ask).isNotDone();
            stranger.close();
            time.advance(KILL_AT);
            assertThat(Waits.on(ask)).isEqualTo(2);
            group.close();
        }
    }

    /** The start function makes its actor and throws: nobody would ever stop that actor. */
    @Promise({"19.12", "19.13"})
    @EveryStrategy
    void aStartThatThrowsAfterItHasMadeItsActorLeavesNone(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder);
                var group = scope.anonymous()
                        .newGroup(GroupPolicy.oneForOne()
                                .limits(FailurePolicy.restart(5, Duration.ofHours(1))))) {
            var tries = new AtomicInteger();
            group.add("member", Lifetime.PERMANENT, builder -> {
                var made = start(builder, "member");
                if (tries.incrementAndGet() < 3) {
                    throw new IllegalStateException("as wanted");
                }
                return made;
            });
            Waits.until("the third start", () -> tries.get() == 3);
            group.actor().execAndWait(() -> {
            });
            assertThat(member(scope, "member").sendMessageReturn(5).get()).isEqualTo(2);
            assertThat(recorder.of(Failed.class)).hasSize(2);
        }
    }

    /** Members that are started again together begin in their order, also if the start of one of them has to be tried again. */
    @Promise("19.12")
    @EveryStrategy
    void noMemberBeginsBeforeOneThatItIsStartedWith(Strategy strategy) throws Exception {
        for (var affected : List.of(Affected.ALL, Affected.REST)) {
            starts.clear();
            try (var scope = Scopes.on(strategy, recorder);
                    var group = scope.anonymous()
                            .newGroup(new GroupPolicy(affected,
                                    FailurePolicy.restart(5, Duration.ofHours(1))))) {
                var tries = new AtomicInteger();
                group.add("first", Lifetime.PERMANENT, builder -> {
                    if (tries.incrementAndGet() == 2) {
                        throw new IllegalStateException("as wanted");
                    }
                    return start(builder, "first");
                });
                group.add("second", Lifetime.PERMANENT, builder -> start(builder, "second"));
                end(member(scope, "first"), Outcome.ERROR);
                Waits.until("all are started again", () -> starts.size() == 4);
                assertThat(starts).containsExactly("first", "second", "first", "second");
            }
        }
    }

    /** The last one waits when the first one ends. */
    @Promise("19.12")
    @EveryStrategy
    void aMemberThatWaitsIsStartedAfterOneBeforeIt(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var second = Duration.ofSeconds(1);
        try (var scope = Scopes.on(strategy, recorder, time);
                var group = scope.anonymous().newGroup(GroupPolicy.restForOne().limits(
                        FailurePolicy.restart().withBackoff(second, Duration.ofHours(1), 0)))) {
            group.add("first", Lifetime.PERMANENT, builder -> start(builder, "first"));
            group.add("last", Lifetime.PERMANENT, builder -> start(builder, "last"));
            starts.clear();
            end(member(scope, "last"), Outcome.ERROR);
            Waits.until("the pause", () -> time.pending() == 1);
            end(member(scope, "first"), Outcome.ERROR);
            Waits.until("the pause of both", () -> time.pending() == 2);
            time.advance(second);
            assertThat(starts).isEmpty();
            time.advance(second);
            Waits.until("both are started again", () -> starts.size() == 2);
            assertThat(starts).containsExactly("first", "last");
        }
    }

    @Promise({"19.4", "19.12"})
    @EveryStrategy
    void pausesOfAGroupStayAtTheLongest(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var second = Duration.ofSeconds(1);
        try (var scope = Scopes.on(strategy, recorder, time);
                var group = scope.anonymous().newGroup(GroupPolicy.oneForOne().limits(FailurePolicy
                        .restart(100, second).withBackoff(second, second.multipliedBy(2), 0)))) {
            var tries = new CopyOnWriteArrayList<Long>();
            group.add("member", Lifetime.PERMANENT, builder -> {
                tries.add(Duration.ofNanos(time.nanoTime()).toSeconds());
                throw new IllegalStateException("never starts");
            });
            for (int n = 0; n < 8; n++) {
                Waits.until("the pause", () -> time.pending() == 1);
                time.advance(second);
            }
            assertThat(tries).containsExactly(0L, 1L, 3L, 5L, 7L);
        }
    }

    /** Pauses of several members at a time are one pause of the group. */
    @Promise({"19.4", "19.12"})
    @EveryStrategy
    void pausesOfSeveralMembersHoldUpTheClockOfTheirGroupOnce(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var pause = Duration.ofMinutes(10);
        try (var scope = Scopes.on(strategy, recorder, time);
                var group = scope.anonymous().newGroup(GroupPolicy.oneForOne().limits(
                        FailurePolicy.restart(3, Duration.ofMinutes(1)).withBackoff(pause, pause, 0)))) {
            var names = List.of("one", "two", "three");
            for (var name : names) {
                group.add(name, Lifetime.PERMANENT, builder -> start(builder, name));
            }
            for (var name : names) {
                end(member(scope, name), Outcome.ERROR);
            }
            Waits.until("the pauses", () -> time.pending() == 3);
            time.advance(pause);
            Waits.until("all are started again", () -> starts.size() == 6);
            time.advance(Duration.ofMinutes(2));
            end(member(scope, "one"), Outcome.ERROR);
            Waits.until("the pause, or the end",
                    () -> time.pending() == 1 || !recorder.of(Escalated.class).isEmpty());
            time.advance(pause);
            Waits.until("it is started again", () -> starts.size() == 7);
            assertThat(recorder.of(Escalated.class)).isEmpty();
        }
    }

    /** Nothing limits the restarts of a member that cannot be started. */
    @Promise("19.13")
    @EveryStrategy
    void aStartThatAlwaysFailsKeepsTheGroupFromNothing(Strategy strategy) throws Exception {
        var unlimited = GroupPolicy.oneForOne()
                .limits(FailurePolicy.restart(Integer.MAX_VALUE, Duration.ofHours(1)));
        var failures = new AtomicInteger();
        var scope = Scopes.on(strategy, event -> failures.addAndGet(event instanceof Failed ? 1 : 0));
        var group = scope.named("group").newGroup(unlimited);
        var adder = Thread.startVirtualThread(() -> {
            group.add("good", Lifetime.PERMANENT, builder -> start(builder, "good"));
            group.add("bad", Lifetime.PERMANENT, builder -> {
                throw new IllegalStateException("never starts");
            });
            group.add("failing", Lifetime.PERMANENT, builder -> builder.newActorFrom(context -> {
                throw new IllegalStateException("never begins");
            }));
            group.add("body", Lifetime.PERMANENT, builder -> builder.newReceivingActor(context -> {
            }));
        });
        Waits.on(adder);
        Waits.until("some failures", () -> failures.get() > 10);
        assertThat(member(scope, "good").sendMessageReturn(5).get()).isEqualTo(2);
        var before = failures.get();
        var report = scope.stop(Duration.ofSeconds(20));
        assertThat(report.stopped()).isTrue();
        assertThat(report.forced()).isFalse();
        assertThat(failures.get() - before).as("failures while the scope was closed").isLessThan(2_000);
    }

    /** No pause is waited for then. The member that fails has handled a message, the failed one. */
    @Promise({"4.1", "19.13", "25.1"})
    @EveryStrategy
    void whatIsLeftByAMemberThatFailsWhileItsScopeDrainsIsHandledByItsSuccessors(Strategy strategy)
            throws Exception {
        var limits = FailurePolicy.restart(9, Duration.ofHours(1));
        for (int round = 0; round < 20; round++) {
            drainWithFailures(strategy, limits);
            drainWithFailures(strategy,
                    limits.withBackoff(Duration.ofMinutes(30), Duration.ofMinutes(30), 0));
        }
    }

    private static void drainWithFailures(Strategy strategy, FailurePolicy.Restart limits) throws Exception {
        var recorder = new Recorder();
        var handled = new CopyOnWriteArrayList<Integer>();
        var scope = Scopes.on(strategy, recorder);
        var group = scope.named("group").newGroup(GroupPolicy.oneForOne().limits(limits));
        group.add("member", Lifetime.PERMANENT, builder -> builder.newActor((Integer n) -> {
            if (n != LATE) {
                handled.add(n);
            }
            if (n == 0) {
                throw new IllegalStateException("as the test wants it");
            }
        }));
        var member = scope.<Integer, Void>find(ActorName.of("member")).orElseThrow();
        var late = new AtomicInteger();
        Thread closer;
        try (var gate = Gate.in(member)) {
            for (var n : List.of(0, 1, 0, 2)) {
                member.sendMessage(n);
            }
            closer = Thread.startVirtualThread(scope::close);
            Waits.until("the drain has begun", () -> {
                late.incrementAndGet();
                return !member.sendMessage(LATE);
            });
            gate.open();
        }
        Waits.on(closer);
        assertThat(handled).containsExactly(0, 1, 0, 2);
        assertThat(recorder.of(Undelivered.class)).as("it came after the drain had begun").singleElement()
                .satisfies(lost -> assertThat(lost.message()).isEqualTo(LATE));
        var members = scope.counters().total() - group.actor().counters().total();
        assertThat(members).as("the gate's code, and what was sent").isEqualTo(1 + 4 + late.get());
    }

    /** The stop does not wait for a pause that had begun before it: there is no successor any more. */
    @Promise({"4.1", "5.2", "19.13"})
    @EveryStrategy
    void whatWaitsForAMemberThroughAPauseIsToldWhenTheScopeCloses(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var scope = Scopes.on(strategy, recorder, time);
        var group = groupWithPauses(scope);
        var first = member(scope, "member");
        CompletableFuture<Integer> ask;
        try (var gate = Gate.in(first)) {
            first.sendMessage(0);
            first.sendMessage(7);
            ask = first.sendMessageReturn(5);
            gate.open();
        }
        Waits.stopped(first);
        Waits.until("the pause", () -> time.pending() > 0);
        scope.close();
        assertThatThrownBy(() -> Waits.on(ask)).hasCauseInstanceOf(ActorStoppedException.class);
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message, Undelivered::cause)
                .containsExactly(tuple(7, Undelivered.Cause.STOPPED_BEFORE_TURN),
                        tuple(5, Undelivered.Cause.STOPPED_BEFORE_TURN));
        var members = scope.counters().total() - group.actor().counters().total();
        assertThat(members).as("the gate's code, and what was sent").isEqualTo(1 + 3);
        assertThat(starts).hasSize(1);
    }

    /** A group with one member, which is started again after a pause. */
    private ActorGroup groupWithPauses(ActorScope scope) {
        var group = scope.named("group").newGroup(GroupPolicy.oneForOne().limits(FailurePolicy
                .restart(9, Duration.ofHours(1)).withBackoff(KILL_AT, KILL_AT, 0)));
        group.add("member", Lifetime.PERMANENT, builder -> start(builder, "member"));
        return group;
    }
}
