package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.testing.Aside;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Thrown;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

class ExitHookFailureTest {
    private static final List<Consumer<Actor<?, ?>>> STOPS = List.of(Actor::askExit, Actor::sendPoisonPill,
            Actor::close, actor -> actor.stop(Duration.ofSeconds(20)));

    @EveryStrategy
    @BugClass(20)
    void whateverAHookThrowsTheOthersRunInOrderAndTheNameIsFree(Strategy strategy) {
        var events = new Recorder();
        try (var scope = Scopes.configure().strategy(strategy.create()).listener(events).open()) {
            for (var thrown : Thrown.values()) {
                var ran = new CopyOnWriteArrayList<Integer>();
                var actor = scope.named("hooked").onExit(() -> fail(ran, 1, thrown)).onExit(() -> ran.add(2))
                        .onExit(() -> fail(ran, 3, thrown)).newActor((Integer n) -> {
                        });
                actor.closeOnExit(() -> fail(ran, 4, thrown)).closeOnExit(() -> ran.add(5));
                STOPS.get(thrown.ordinal() % STOPS.size()).accept(actor);
                Waits.stopped(actor);

                assertThat(ran).containsExactly(1, 2, 3, 4, 5);
                assertThat(scope.find(ActorName.of("hooked"))).isEmpty();
                actor.closeOnExit(() -> fail(ran, 6, thrown));
                assertThat(ran).endsWith(6);
            }
        }
        assertThat(events.of(Stopped.class)).hasSize(Thrown.values().length);
        assertThat(events.of(Failed.class)).hasSize(4 * Thrown.values().length)
                .allMatch(failed -> failed.message().isEmpty());
    }

    private static void fail(List<Integer> ran, int number, Thrown thrown) {
        ran.add(number);
        thrown.fail();
    }

    @EveryStrategy
    @LogsErrors
    @BugClass(20)
    void whateverAListenerThrowsTheActorStopsAndWaitersAreTold(Strategy strategy) {
        for (var thrown : List.of(Thrown.CHECKED, Thrown.EXIT, Thrown.OUT_OF_MEMORY, Thrown.LINKAGE)) {
            try (var scope = Scopes.configure().strategy(strategy.create()).listener(event -> thrown.fail())
                    .open()) {
                var actor = scope.named("heard").onExit(thrown::fail).newActor((Integer n) -> thrown.fail());
                actor.sendMessage(1);
                actor.askExit();
                Waits.stopped(actor);
                assertThat(actor.sendMessage(2)).isFalse();
                assertThat(scope.find(ActorName.of("heard"))).isEmpty();
            }
        }
    }

    @EveryStrategy
    @BugClass(21)
    void whoComesBackFromTheWaitFindsTheHooksRunAndTheNameFree(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (var stop : STOPS) {
                var inHook = new CountDownLatch(1);
                var release = new CountDownLatch(1);
                var ran = new CopyOnWriteArrayList<String>();
                var actor = scope.named("slow to end").onExit(() -> {
                    inHook.countDown();
                    Waits.on(release);
                    ran.add("hook");
                }).newActor((Integer n) -> {
                });
                var stopper = Aside.run(() -> {
                    stop.accept(actor);
                    return null;
                });
                Waits.on(inHook);
                var waiter = Aside.run(() -> {
                    actor.waitForExit();
                    return ran.equals(List.of("hook")) && scope.find(ActorName.of("slow to end")).isEmpty();
                });
                assertThat(scope.find(ActorName.of("slow to end"))).isPresent();
                assertThat(actor.waitForExit(Duration.ZERO)).isFalse();
                assertThat(waiter).isNotDone();

                release.countDown();
                assertThat(Waits.on(waiter)).isTrue();
                Waits.on(stopper);
                assertThat(scope.find(ActorName.of("slow to end"))).isEmpty();
            }
        }
    }
}
