package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorName;
import io.fibry.ActorState;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

class ExitHooksTest {
    private final List<String> steps = new CopyOnWriteArrayList<>();

    @Promise({"9.4", "10.3"})
    @EveryStrategy
    void hooksRunInOrderThenResourcesEachOnceAlsoIfOneThrows(Strategy strategy) {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.named("tom").onExit(() -> steps.add("hook 1")).onExit(() -> {
                steps.add("hook 2");
                throw new StackOverflowError("hook 2");
            }).onExit(() -> steps.add("hook 3")).newActor((Integer n) -> {
            });
            actor.closeOnExit(() -> {
                steps.add("resource 1");
                throw new Exception("resource 1");
            }).closeOnExit(() -> steps.add("resource 2"));
            actor.close();
            actor.close();
            assertThat(steps).containsExactly("hook 1", "hook 2", "hook 3", "resource 1", "resource 2");
            assertThat(recorder.of(Failed.class)).extracting(f -> f.cause().getMessage())
                    .containsExactly("hook 2", "resource 1");
            assertThat(recorder.of(Failed.class)).allMatch(f -> f.message().isEmpty());

            actor.closeOnExit(() -> steps.add("late"));
            assertThat(steps).last().isEqualTo("late");
        }
    }

    @Promise("9.4")
    @EveryStrategy
    void aResourceAddedWhileTheActorStopsIsClosedOnce(Strategy strategy) throws Exception {
        for (int round = 0; round < 50; round++) {
            var closed = new ArrayList<AtomicInteger>();
            for (int i = 0; i < 20; i++) {
                closed.add(new AtomicInteger());
            }
            try (var scope = Scopes.on(strategy)) {
                var actor = scope.anonymous().newActor((Integer n) -> {
                });
                Senders.run(3, sender -> {
                    if (sender == 0) {
                        actor.askExit();
                    } else {
                        for (int i = sender - 1; i < closed.size(); i += 2) {
                            actor.closeOnExit(closed.get(i)::incrementAndGet);
                        }
                    }
                });
                actor.waitForExit();
            }
            assertThat(closed).allMatch(count -> count.get() == 1);
        }
    }

    @Promise("9.4")
    @EveryStrategy
    void hooksThenTheNameThenListenersAndWaiters(Strategy strategy) throws Exception {
        var goOn = new CountDownLatch(1);
        var inHook = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            var listening = scope.listen(event -> {
                if (event instanceof Stopped) {
                    steps.add(
                            "told, name " + (scope.find(ActorName.of("tom")).isPresent() ? "taken" : "free"));
                }
            });
            var actor = scope.named("tom").onExit(() -> {
                inHook.countDown();
                goOn.await();
                steps.add("hook, name " + (scope.find(ActorName.of("tom")).isPresent() ? "taken" : "free"));
            }).newActor((Integer n) -> {
            });
            var waiter = CompletableFuture.runAsync(() -> {
                actor.waitForExit();
                steps.add("waited, name " + (scope.find(ActorName.of("tom")).isPresent() ? "taken" : "free"));
            });
            var stopper = Thread.startVirtualThread(actor::askExit);
            Waits.on(inHook);
            assertThat(waiter).isNotDone();
            assertThat(actor.state()).isEqualTo(ActorState.STOPPING);
            goOn.countDown();
            Waits.on(waiter);
            Waits.on(stopper);
            listening.cancel();
            assertThat(steps).containsExactly("hook, name taken", "told, name free", "waited, name free");
        }
    }

    @Promise("9.4")
    @EveryStrategy
    void aNameCanBeTakenAgainRightAfterTheWait(Strategy strategy) throws Exception {
        var ran = Collections.synchronizedList(new ArrayList<Integer>());
        try (var scope = Scopes.on(strategy)) {
            for (int i = 0; i < 300; i++) {
                var round = i;
                var actor = scope.named("again").onExit(() -> ran.add(round)).newActor((Integer n) -> {
                });
                actor.sendMessage(i);
                actor.askExit();
                actor.waitForExit();
                assertThat(ran).hasSize(i + 1);
            }
        }
    }
}
