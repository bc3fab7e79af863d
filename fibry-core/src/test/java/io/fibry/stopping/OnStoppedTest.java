package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.AskCycleException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.StopReport;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class OnStoppedTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Recorder events = new Recorder();

    @Promise("32.1")
    @EveryStrategy
    void theEndIsToldHoweverItComes(Strategy strategy) throws Exception {
        var ways = new LinkedHashMap<String, Consumer<Actor<Integer, Integer>>>();
        ways.put("exit", Actor::askExit);
        ways.put("pill", Actor::sendPoisonPill);
        ways.put("close", Actor::close);
        ways.put("stop", actor -> actor.stop(LONG));
        ways.put("stop at once", actor -> actor.stop(Duration.ZERO));
        ways.put("failure", actor -> actor.sendMessage(0));
        for (var way : ways.entrySet()) {
            try (var scope = Scopes.on(strategy, events)) {
                var ran = new CountDownLatch(1);
                var actor = scope.named("gone").onFailure(FailurePolicy.stop()).onExit(ran::countDown)
                        .newActorWithReturn((Integer n) -> 1 / n);
                assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
                var end = actor.onStopped();
                var other = actor.onStopped();
                assertThat(end).isNotDone();
                way.getValue().accept(actor);
                StopReport report = Waits.on(end);
                assertThat(ran.getCount()).as("%s: the hooks have run", way.getKey()).isZero();
                assertThat(actor.waitForExit(Duration.ZERO)).as(way.getKey()).isTrue();
                assertThat(scope.find(ActorName.of("gone"))).as(way.getKey()).isEmpty();
                assertThat(report.name()).isEqualTo("gone");
                assertThat(report.stopped()).isTrue();
                assertThat(report.stuck()).isEmpty();
                assertThat(report.counters().handled()).isEqualTo(1);
                assertThat(Waits.on(other)).as(way.getKey()).isEqualTo(report);
                assertThat(actor.onStopped()).as("after the end").isCompletedWithValue(report);
            }
        }
    }

    @Promise("32.1")
    @EveryStrategy
    void aForcedEndSaysSo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var end = actor.onStopped();
            try (var gate = Gate.in(actor)) {
                var lost = actor.sendMessageReturn(1);
                actor.stop(Duration.ZERO);
                var report = Waits.on(end);
                assertThat(report.forced()).isTrue();
                assertThat(report.stopped()).isTrue();
                assertThat(report.counters().undelivered()).isEqualTo(1);
                assertThat(lost).isCompletedExceptionally();
                gate.open();
            }
        }
    }

    @Promise("32.1")
    @EveryStrategy
    void theEndOfScopeParentAndGroupIsToldToo(Strategy strategy) throws Exception {
        var ends = new ArrayList<CompletableFuture<StopReport>>();
        try (var scope = Scopes.on(strategy, events)) {
            ends.add(scope.anonymous().newActor((String m) -> {
            }).onStopped());
            ends.add(scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()))
                    .newActor((String m) -> {
                    }).onStopped());
            ends.add(scope.anonymous().<String>newReceivingActor(inbox -> inbox.receive()).onStopped());
            var group = scope.anonymous().newGroup(GroupPolicy.oneForOne());
            ends.add(group.actor().onStopped());
            Actor<String, Integer> parent = scope.anonymous().newActorWithReturn(
                    (ActorContext<String, Integer> context, String go) -> {
                        ends.add(context.child().newActor((String m) -> {
                        }).onStopped());
                        return 1;
                    });
            assertThat(Waits.on(parent.sendMessageReturn("go"))).isEqualTo(1);
        }
        for (var end : ends) {
            assertThat(Waits.on(end).stopped()).isTrue();
        }
    }

    @Promise("32.1")
    @EveryStrategy
    void callsThatRaceWithTheEndAllHearOfIt(Strategy strategy) throws Exception {
        for (int round = 0; round < 30; round++) {
            try (var scope = Scopes.on(strategy)) {
                var actor = scope.anonymous().newActor((String m) -> {
                });
                Senders.run(3, sender -> {
                    for (int i = 0; i < 20; i++) {
                        if (sender == 0 && i == 10) {
                            actor.askExit();
                        }
                        var end = actor.onStopped();
                        if (sender == 1) {
                            end.cancel(true);
                        } else if (i > 10 || sender == 2) {
                            end.thenAccept(report -> assertThat(report.stopped()).isTrue());
                        }
                    }
                    if (sender != 1) {
                        assertThat(Waits.on(actor.onStopped()).stopped()).isTrue();
                    }
                });
            }
        }
    }

    @Promise("32.1")
    @EveryStrategy
    void aCallbackHoldsUpNothing(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.named("name").newActor((String m) -> {
            });
            var go = new CountDownLatch(1);
            var ran = new CompletableFuture<Thread>();
            var after = actor.onStopped().thenAccept(report -> {
                ran.complete(Thread.currentThread());
                try {
                    Waits.on(go);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            actor.close();
            assertThat(Waits.on(ran)).isNotSameAs(Thread.currentThread());
            scope.named("name").newActor((String m) -> {
            }).close();
            assertThat(scope.stop(LONG).stopped()).as("although the callback runs").isTrue();
            assertThat(after).isNotDone();
            go.countDown();
            Waits.on(after);
        }
    }

    @Promise("32.1")
    @EveryStrategy
    void oneFutureIsNotTheOther(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newActor((String m) -> {
            });
            var cancelled = actor.onStopped();
            var failed = actor.onStopped();
            var other = actor.onStopped();
            assertThat(cancelled.cancel(true)).isTrue();
            assertThat(failed.completeExceptionally(new IllegalStateException())).isTrue();
            assertThatThrownBy(() -> other.get(1, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class)
                    .hasMessageContaining("has not stopped");
            assertThat(actor.state()).isNotEqualTo(io.fibry.ActorState.STOPPED);
            actor.close();
            assertThat(Waits.on(other).stopped()).isTrue();
            assertThat(cancelled).isCancelled();
        }
    }

    @Promise("32.1")
    @EveryStrategy
    void aWaitForTheOwnEndFailsAtOnce(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            Actor<String, String> self = scope.named("self").newActorWithReturn(
                    (ActorContext<String, String> context, String how) -> {
                        var end = context.self().onStopped();
                        var thrown = new ArrayList<String>();
                        for (var wait : List.<Wait>of(() -> end.get(), () -> end.join(),
                                () -> end.get(1, TimeUnit.DAYS),
                                () -> end.thenApply(StopReport::name).get())) {
                            try {
                                wait.run();
                            } catch (IllegalStateException e) {
                                thrown.add(e.getMessage());
                            }
                        }
                        return thrown.size() + thrown.getFirst() + end.isDone();
                    });
            assertThat(Waits.on(self.sendMessageReturn("wait"))).contains("4", "'self'", "own exit", "false");
            Actor<String, String> parent = scope.named("parent").newActorWithReturn(
                    (ActorContext<String, String> context, String how) -> {
                        var mine = context.self();
                        var child = context.child().newActorWithReturn((String m) -> {
                            try {
                                return mine.onStopped().get().name();
                            } catch (IllegalStateException e) {
                                return e.getMessage();
                            }
                        });
                        return child.apply("wait");
                    });
            assertThat(Waits.on(parent.sendMessageReturn("wait"))).contains("'parent'");
        }
    }

    private interface Wait {
        void run() throws Exception;
    }

    @Promise("32.1")
    @EveryStrategy
    void aCycleThroughAnEndIsFound(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var ending = new AtomicReference<Actor<String, String>>();
            Actor<String, String> waiter = scope.named("waiter").newActorWithReturn(
                    (String m) -> m.equals("wait") ? ending.get().onStopped().get().name() : m);
            ending.set(scope.named("ending").newActorWithReturn((String m) -> {
                var asked = waiter.sendMessageReturn("wait");
                return asked.get();
            }));
            var failure = Waits.failure(ending.get().sendMessageReturn("go"));
            Throwable root = failure;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            assertThat(root).isInstanceOf(AskCycleException.class).hasMessageContainingAll("'ending'",
                    "'waiter'");
            ending.get().askExit(); // if it was the one that was told, the other one still waits for its end
        }
    }

    @Promise("32.1")
    @Test
    void anActorThatNothingRefersToIsGarbageWithItsFuture() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            Garbage.is(watched(scope));
        }
    }

    private static WeakReference<Object> watched(ActorScope scope) {
        var actor = scope.anonymous().newActorWithReturn((String m) -> m);
        assertThat(actor.apply("a")).isEqualTo("a");
        var unused = actor.onStopped().thenAccept(report -> {
        });
        return new WeakReference<>(actor);
    }
}
