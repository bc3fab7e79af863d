package io.fibry.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorGroup;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.GroupPolicy.Affected;
import io.fibry.Lifetime;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * Members of a group that wait for each other while the group stops them. Nothing moves the clock of the scope, so no deadline
 * helps a group that waits for itself.
 */
class GroupCyclesTest {
    private static final int FAIL = 0;

    /** How a handler waits for an answer. */
    private enum Wait implements Function<CompletableFuture<Integer>, Integer> {
        GET {
            @Override
            public Integer apply(CompletableFuture<Integer> answer) {
                try {
                    return answer.get();
                } catch (ExecutionException e) {
                    throw new CompletionException(e.getCause());
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        },
        /** This wait does not end by an interrupt. */
        JOIN {
            @Override
            public Integer apply(CompletableFuture<Integer> answer) {
                return answer.join();
            }
        },
        DERIVED {
            @Override
            public Integer apply(CompletableFuture<Integer> answer) {
                return answer.thenApply(n -> n + 1).join();
            }
        }
    }

    private final Recorder recorder = new Recorder();
    private final List<String> starts = new CopyOnWriteArrayList<>();
    private final List<Throwable> refusals = new CopyOnWriteArrayList<>();
    private final CountDownLatch failing = new CountDownLatch(1);
    private final CountDownLatch fails = new CountDownLatch(1);

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, new ManualTime());
    }

    private static ActorGroup group(ActorScope scope, Affected affected) {
        return scope.named("group")
                .newGroup(new GroupPolicy(affected, FailurePolicy.restart(3, Duration.ofMinutes(1))));
    }

    /** Adds a member that fails on one message, as soon as the test lets it, and answers the others. */
    private void addFailing(ActorGroup group, String name, CountDownLatch until) {
        group.add(name, Lifetime.PERMANENT, builder -> {
            starts.add(name);
            return builder.newActorWithReturn((Integer n) -> {
                if (n == FAIL) {
                    if (until == fails) {
                        failing.countDown();
                    }
                    Waits.on(until);
                    throw new IllegalStateException("as the test wants it");
                }
                return n;
            });
        });
    }

    private void addAsking(ActorGroup group, String name, Actor<Integer, Integer> asked, Wait wait) {
        group.add(name, Lifetime.PERMANENT, builder -> {
            starts.add(name);
            return asking(builder, asked, wait);
        });
    }

    private Actor<Integer, Integer> asking(ActorBuilder builder, Actor<Integer, Integer> asked, Wait wait) {
        return builder.newActorWithReturn((Integer n) -> {
            try {
                return wait.apply(asked.sendMessageReturn(n));
            } catch (CompletionException e) {
                refusals.add(e.getCause());
                throw e;
            } catch (AskCycleException e) { // the wait has begun last
                refusals.add(e);
                throw e;
            }
        });
    }

    /** Sends on a thread of its own, which handles the message on {@code caller()}. */
    private static <M> void tell(Actor<M, ?> actor, M message) {
        Thread.startVirtualThread(() -> actor.sendMessage(message));
    }

    private static Actor<Integer, Integer> member(ActorScope scope, String name) {
        return scope.<Integer, Integer>find(ActorName.of(name)).orElseThrow();
    }

    private void assertRefused(String asker) {
        assertThat(refusals).singleElement().isInstanceOf(AskCycleException.class);
        assertThat(refusals.getFirst()).hasMessageContaining("'" + asker + "'")
                .hasMessageContaining("'group'");
    }

    /** The asked actor may run on the stack of the member. Then its ask is the one that keeps the member from its end. */
    private void assertRefusedOnTheWay() {
        assertThat(refusals).hasSize(1);
        var thrown = refusals.getFirst();
        while (!(thrown instanceof AskCycleException) && thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        assertThat(thrown).isInstanceOf(AskCycleException.class).hasMessageContaining("'group'");
    }

    @Promise({"11.1", "19.12", "19.13"})
    @EveryStrategy
    void aMemberThatWaitsForTheSuccessorOfTheOneThatFailedDoesNotHoldUpItsGroup(Strategy strategy)
            throws Exception {
        for (var affected : List.of(Affected.ALL, Affected.REST)) {
            for (var wait : Wait.values()) {
                new GroupCyclesTest().aMemberWaitsForASuccessor(strategy, affected, wait);
            }
        }
    }

    private void aMemberWaitsForASuccessor(Strategy strategy, Affected affected, Wait wait) throws Exception {
        try (var scope = scope(strategy); var group = group(scope, affected)) {
            addFailing(group, "asked", fails);
            var asked = member(scope, "asked");
            addAsking(group, "asker", asked, wait);
            tell(asked, FAIL);
            Waits.on(failing);
            tell(member(scope, "asker"), 7);
            Waits.until("the ask waits", () -> asked.mailboxSize() > 0);
            fails.countDown();
            Waits.until("the restart", () -> starts.size() == 4);
            assertThat(starts).containsExactly("asked", "asker", "asked", "asker");
            assertRefused("asker");
            group.actor().execAndWait(() -> {
            });
            assertThat(Waits.on(member(scope, "asked").sendMessageReturn(5))).isEqualTo(5);
        }
    }

    /** No successor runs the code, so the wait for it ends with the member. */
    @Promise({"19.12", "19.13"})
    @EveryStrategy
    void aMemberThatHoldsTheOneThatFailedDoesNotHoldUpItsGroup(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var group = group(scope, Affected.ALL)) {
            addFailing(group, "held", fails);
            var held = member(scope, "held");
            group.add("holder", Lifetime.PERMANENT, builder -> {
                starts.add("holder");
                return builder.newActor((Integer n) -> {
                    try {
                        held.hold(() -> n, Duration.ofMinutes(1));
                    } catch (ExecutionException e) {
                        refusals.add(e.getCause());
                    }
                });
            });
            tell(held, FAIL);
            Waits.on(failing);
            tell(member(scope, "holder"), 7);
            Waits.until("the code waits", () -> held.mailboxSize() > 0);
            fails.countDown();
            Waits.until("the restart", () -> starts.size() == 4);
            assertThat(starts).containsExactly("held", "holder", "held", "holder");
            assertThat(refusals).singleElement().isInstanceOf(ActorStoppedException.class);
            assertThat(Waits.on(member(scope, "held").sendMessageReturn(5))).isEqualTo(5);
        }
    }

    /** The group already waits for the asker when the asked member fails. */
    @Promise({"11.1", "19.12", "19.13"})
    @EveryStrategy
    void aThirdMemberFailsWhileOneWaitsForAnotherThatThenFails(Strategy strategy) throws Exception {
        for (var wait : Wait.values()) {
            new GroupCyclesTest().aThirdMemberFails(strategy, wait);
        }
    }

    private void aThirdMemberFails(Strategy strategy, Wait wait) throws Exception {
        try (var scope = scope(strategy); var group = group(scope, Affected.ALL)) {
            addFailing(group, "asked", fails);
            var atOnce = new CountDownLatch(0);
            addFailing(group, "third", atOnce);
            var asked = member(scope, "asked");
            addAsking(group, "asker", asked, wait);
            var asker = member(scope, "asker");
            tell(asked, FAIL);
            Waits.on(failing);
            tell(asker, 7);
            Waits.until("the ask waits", () -> asked.mailboxSize() > 0);
            tell(member(scope, "third"), FAIL);
            Waits.until("the group stops the asker", () -> asker.state() == io.fibry.ActorState.STOPPING);
            fails.countDown();
            Waits.until("the restart", () -> starts.size() == 6);
            assertThat(starts.subList(3, 6)).containsExactly("asked", "third", "asker");
            assertRefused("asker");
        }
    }

    /** The member waits for an actor outside of the group, and this one for the successor. */
    @Promise({"11.1", "19.12", "19.13"})
    @EveryStrategy
    void aMemberWaitsForASuccessorThroughAnother(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var group = group(scope, Affected.ALL)) {
            addFailing(group, "asked", fails);
            var asked = member(scope, "asked");
            var between = new CompletableFuture<Integer>();
            var outside = scope.named("outside").newActorWithReturn((Integer n) -> {
                var got = asked.sendMessageReturn(n).get();
                between.complete(got);
                return got;
            });
            addAsking(group, "asker", outside, Wait.JOIN);
            tell(asked, FAIL);
            Waits.on(failing);
            tell(member(scope, "asker"), 7);
            Waits.until("the ask waits", () -> asked.mailboxSize() > 0);
            fails.countDown();
            Waits.until("the restart", () -> starts.size() == 4);
            if (refusals.getFirst() instanceof AskCycleException) {
                assertThat(Waits.on(between)).as("only the ask of the member is given up").isEqualTo(7);
            }
            assertRefusedOnTheWay();
        }
    }

    /** A child of the member waits, and the member for the end of its child. */
    @Promise({"11.1", "19.8", "19.13"})
    @EveryStrategy
    void aChildOfAMemberWaitsForASuccessor(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var group = group(scope, Affected.ALL)) {
            addFailing(group, "asked", fails);
            var asked = member(scope, "asked");
            group.add("parent", Lifetime.PERMANENT, builder -> {
                starts.add("parent");
                return builder.newActor((context, message) -> {
                    tell(asking(context.child("child"), asked, Wait.JOIN), 7);
                });
            });
            tell(asked, FAIL);
            Waits.on(failing);
            tell(scope.<Object, Void>find(ActorName.of("parent")).orElseThrow(), "make a child");
            Waits.until("the ask waits", () -> asked.mailboxSize() > 0);
            fails.countDown();
            Waits.until("the restart", () -> starts.size() == 4);
            assertRefused("child");
        }
    }

    /** The group gives up, and stops its members. */
    @Promise({"19.12", "19.13"})
    @EveryStrategy
    void aGroupThatGivesUpDoesNotWaitForAMemberThatWaitsForASuccessor(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var group = scope.named("group")
                    .newGroup(new GroupPolicy(Affected.ALL, FailurePolicy.restart(1, Duration.ofMinutes(1))));
            addFailing(group, "third", new CountDownLatch(0));
            tell(member(scope, "third"), FAIL);
            Waits.until("the only restart", () -> starts.size() == 2);
            addFailing(group, "asked", fails);
            var asked = member(scope, "asked");
            addAsking(group, "asker", asked, Wait.JOIN);
            tell(asked, FAIL);
            Waits.on(failing);
            tell(member(scope, "asker"), 7);
            Waits.until("the ask waits", () -> asked.mailboxSize() > 0);
            fails.countDown();
            Waits.stopped(group.actor());
            assertRefused("asker");
        }
    }

    /** The asker waits for the actor that restarts and stops it. */
    @Promise({"11.1", "19.8"})
    @EveryStrategy
    void aChildThatWaitsForItsParentDoesNotHoldUpTheRestart(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var restarted = new CountDownLatch(2);
            var parent = scope.named("group").onFailure(FailurePolicy.restart(3, Duration.ofMinutes(1)))
                    .<Integer, Integer>newActorWithReturnFrom(context -> {
                        restarted.countDown();
                        return n -> {
                            if (n == FAIL) {
                                tell(asking(context.child("asker"), context.self(), Wait.JOIN), 7);
                                Waits.until("the ask waits", () -> context.self().mailboxSize() > 0);
                                throw new IllegalStateException("as the test wants it");
                            }
                            return n;
                        };
                    });
            tell(parent, FAIL);
            Waits.on(restarted);
            assertRefused("asker");
            assertThat(Waits.on(parent.sendMessageReturn(5))).isEqualTo(5);
        }
    }
}
