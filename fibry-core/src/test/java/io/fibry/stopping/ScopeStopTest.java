package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorName;
import io.fibry.ActorState;
import io.fibry.event.Stopped;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ScopeStopTest {
    private final Recorder recorder = new Recorder();

    @Promise("9.7")
    @EveryStrategy
    void closingStopsInnerScopesThenActorsAndWaits(Strategy strategy) throws Exception {
        var steps = new CopyOnWriteArrayList<String>();
        var scope = Scopes.on(strategy, recorder);
        var inner = scope.child("inner").open();
        var outerActor = scope.named("outer").onExit(() -> steps.add("outer")).newActor((Integer n) -> {
        });
        var innerActor = inner.named("inner").onExit(() -> steps.add("inner")).newActor((Integer n) -> {
        });
        outerActor.sendMessage(1);
        innerActor.sendMessage(1);
        var report = scope.stop(Duration.ofMinutes(1));
        assertThat(report.name()).isEqualTo("test");
        assertThat(report.stopped()).isTrue();
        assertThat(report.forced()).isFalse();
        assertThat(report.stuck()).isEmpty();
        assertThat(report.counters()).isEqualTo(scope.counters());
        assertThat(scope.counters().handled()).isEqualTo(1);
        assertThat(inner.counters().handled()).isEqualTo(1);
        assertThat(steps).containsExactly("inner", "outer");
        assertThat(List.of(outerActor.state(), innerActor.state())).containsOnly(ActorState.STOPPED);
        assertThat(recorder.of(Stopped.class)).hasSize(2);
        assertThatThrownBy(() -> scope.anonymous().newActor((Integer n) -> {
        })).isInstanceOf(IllegalStateException.class).hasMessageContaining("'test'");
        assertThatThrownBy(() -> inner.anonymous().newActor((Integer n) -> {
        })).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> scope.child("late").open()).isInstanceOf(IllegalStateException.class);
    }

    @Promise({"9.7", "9.3"})
    @EveryStrategy
    void closingReportsWhatIsStuckAfterTheDeadline(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var scope = Scopes.on(strategy, recorder, time);
        var end = new CompletableFuture<Void>();
        var stuck = scope.named("stuck").newActor((Integer n) -> end.join());
        var slow = scope.named("slow").newActor((Integer n) -> {
        });
        Thread.startVirtualThread(() -> stuck.sendMessage(1));
        await().until(() -> stuck.state() == ActorState.BUSY && stuck.mailboxSize() == 0);
        try (var gate = Gate.in(slow)) {
            slow.sendMessage(1);
            var report = CompletableFuture.supplyAsync(() -> scope.stop(Duration.ofSeconds(5)));
            await().until(() -> time.pending() == 1);
            time.advance(Duration.ofSeconds(5));
            assertThat(Waits.on(report).forced()).isTrue();
            assertThat(Waits.on(report).stopped()).isFalse();
            assertThat(Waits.on(report).stuck()).containsExactly("stuck");
            gate.open();
        }
        end.complete(null);
        stuck.waitForExit();
    }

    /** Its clock stands, so the close time-out would never be over. */
    @Promise("9.7")
    @Test
    void aCloseDoesNotWaitAgainForWhatTheStopHasGivenUp() throws Exception {
        var scope = Scopes.on(Strategy.FIBERS, recorder, new ManualTime());
        var inner = scope.child("inner").open();
        var begun = new CountDownLatch(2);
        var end = new CompletableFuture<Void>();
        var stuck = Stream.of(scope, inner).map(each -> each.anonymous().newActor((Integer n) -> {
            begun.countDown();
            end.join();
        })).toList();
        stuck.forEach(each -> each.sendMessage(1));
        Waits.on(begun);
        assertThat(scope.stop(Duration.ZERO).stuck()).hasSize(2);

        var closes = Stream.<Runnable>of(stuck.getFirst()::close, stuck.getLast()::close, inner::close,
                scope::close).map(Thread::startVirtualThread).toList();
        for (var each : closes) {
            Waits.on(each);
        }
        end.complete(null);
        stuck.forEach(Waits::stopped);
    }

    @Promise({"9.7", "9.3"})
    @EveryStrategy
    void closingWaitsUntilListenersHaveHeardOfAStopAndForcesNoActorThatHasStopped(Strategy strategy)
            throws Exception {
        var time = new ManualTime();
        var scope = Scopes.on(strategy, recorder, time);
        var told = new CountDownLatch(1);
        var goOn = new CompletableFuture<Void>();
        scope.listen(event -> {
            if (event instanceof Stopped) {
                told.countDown();
                goOn.join();
            }
        });
        var actor = scope.anonymous().newActor((Integer n) -> {
        });
        var ending = Thread.startVirtualThread(actor::askExit);
        Waits.on(told);
        var report = CompletableFuture.supplyAsync(() -> scope.stop(Duration.ofSeconds(5)));
        await().until(() -> time.pending() == 1);
        assertThat(report).isNotDone();
        var atOnce = CompletableFuture.supplyAsync(() -> scope.stop(Duration.ZERO));
        assertThat(Waits.on(atOnce).forced()).isFalse(); // it waits for a second by the system's clock
        goOn.complete(null);
        assertThat(Waits.on(report).stopped()).isTrue();
        assertThat(Waits.on(report).forced()).isFalse();
        assertThat(actor.waitForExit(Duration.ZERO)).isTrue();
        Waits.on(ending);
    }

    @Promise({"9.7", "4.1"})
    @EveryStrategy
    void actorsMadeWhileItClosesAreStoppedOrRefusedAndNoMessageIsLost(Strategy strategy) throws Exception {
        for (int round = 0; round < 200; round++) {
            var scope = Scopes.on(strategy, recorder);
            var sent = new AtomicInteger();
            for (int i = 0; i < 3; i++) {
                scope.sendOrKeep(ActorName.of("late"), i, 3);
                sent.incrementAndGet();
            }
            Senders.run(4, sender -> {
                switch (sender) {
                    case 0 -> scope.close();
                    case 1 -> {
                        for (int i = 0; i < 5; i++) {
                            scope.sendOrKeep(ActorName.of("late"), i, 100);
                            sent.incrementAndGet();
                        }
                    }
                    default -> {
                        try {
                            var actor = sender == 2 ? scope.named("late").newActor((Integer n) -> {
                            }) : scope.anonymous().newActor((Integer n) -> {
                            });
                            actor.sendMessage(1);
                            sent.incrementAndGet();
                        } catch (IllegalStateException e) {
                            assertThat(e).hasMessageContaining("is closed");
                        }
                    }
                }
            });
            Patience.spin("an actor that was made in time still handles what it got",
                    () -> scope.counters().total() >= sent.get());
            assertThat(scope.counters().total()).isEqualTo(sent.get());
            Patience.spin("one that came too late ends by itself",
                    () -> scope.find(ActorName.of("late")).isEmpty());
        }
        assertThat(recorder.of(Undelivered.class)).allMatch(e -> e.actor().equals("late")
                || e.actor().startsWith("anonymous"));
    }
}
