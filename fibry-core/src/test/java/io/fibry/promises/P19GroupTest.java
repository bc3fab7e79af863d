package io.fibry.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.GroupPolicy.Affected;
import io.fibry.Lifetime;
import io.fibry.WhenAbsent;
import io.fibry.event.Escalated;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class P19GroupTest {
    private static final Duration KILL_AT = Duration.ofMillis(1);

    private enum Outcome {
        NORMAL, ERROR, KILLED
    }

    private final Recorder recorder = new Recorder();
    private final List<String> starts = new CopyOnWriteArrayList<>();
    private final CountDownLatch working = new CountDownLatch(1);

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
                Waits.until("the end", () -> scope.<Integer, Integer>find("middle").isEmpty());
            }
            assertThat(starts).isEqualTo(expected);
            assertThat(member(scope, "first").sendMessageReturn(5).get()).isEqualTo(2);
            assertThat(member(scope, "last").sendMessageReturn(5).get()).isEqualTo(2);
        }
    }

    private static Actor<Integer, Integer> member(ActorScope scope, String name) {
        return scope.<Integer, Integer>find(name).orElseThrow();
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
            assertThat(scope.sendMessage("member", 3, WhenAbsent.keep(5))).isTrue();
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
            var member = scope.<Integer, Void>find("member").orElseThrow();
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

    @Promise("19.14")
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
}
