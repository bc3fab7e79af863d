package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.testing.Aside;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;

/** Everything that can be done to an actor, in every state it can be in. */
@BugClass(27)
class StateTableTest {
    private interface Deed {
        /** What came of it; for sending, whether it was accepted. */
        Object doTo(Actor<Integer, Integer> actor) throws Exception;
    }

    private static final Map<String, Deed> SENDING = new LinkedHashMap<>();
    private static final Map<String, Deed> STOPPING = new LinkedHashMap<>();

    static {
        SENDING.put("sendMessage", actor -> actor.sendMessage(1));
        SENDING.put("execAsync", actor -> actor.execAsync(() -> {
        }));
        SENDING.put("execute", actor -> {
            try {
                actor.execute(() -> {
                });
                return true;
            } catch (RejectedExecutionException e) {
                return false;
            }
        });
        SENDING.put("sendMessageReturn", actor -> !actor.sendMessageReturn(1).isCompletedExceptionally());
        SENDING.put("sendMessageReturn with a limit",
                actor -> !actor.ask(1, Duration.ofHours(1)).isCompletedExceptionally());
        SENDING.put("execFuture", actor -> !actor.execFuture(() -> 1).isCompletedExceptionally());
        STOPPING.put("askExit", actor -> {
            actor.askExit();
            return null;
        });
        STOPPING.put("sendPoisonPill", actor -> {
            actor.sendPoisonPill();
            return null;
        });
        STOPPING.put("stop", actor -> actor.stop(Duration.ofMillis(1)).name());
        STOPPING.put("closeOnExit", actor -> actor.closeOnExit(() -> {
        }));
        STOPPING.put("waitForExit", actor -> actor.waitForExit(Duration.ZERO));
        STOPPING.put("looking", actor -> actor.name() + actor.state() + actor.mailboxSize() + actor.counters()
                + actor);
    }

    /** One actor that is brought into a state and, in the end, out of it. */
    private static final class Subject {
        final CountDownLatch handling = new CountDownLatch(1);
        final CountDownLatch inHook = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        final Actor<Integer, Integer> actor;

        Subject(ActorScope scope, String state) throws Exception {
            actor = scope.anonymous().onExit(() -> {
                inHook.countDown();
                awaitRelease(state, "in its exit hook");
            }).newActorWithReturn((Integer n) -> {
                handling.countDown();
                awaitRelease(state, "handling");
                return n;
            });
            switch (state) {
                case "handling" -> {
                    Aside.run(() -> actor.sendMessage(1));
                    Waits.on(handling);
                }
                case "in its exit hook" -> {
                    Aside.run(() -> {
                        actor.askExit();
                        return null;
                    });
                    Waits.on(inHook);
                }
                case "stopped" -> actor.close();
                default -> {
                }
            }
        }

        private void awaitRelease(String state, String waitsIn) throws InterruptedException {
            if (state.equals(waitsIn)) {
                release.await();
            }
        }
    }

    @EveryStrategy
    void everyDeedIsHarmlessInEveryState(Strategy strategy) throws Exception {
        for (var state : new String[]{"idle", "handling", "in its exit hook", "stopped"}) {
            for (var deed : SENDING.entrySet()) {
                var accepts = state.equals("idle") || state.equals("handling");
                assertThat(resultOf(deed.getValue(), strategy, state)).as("%s while %s", deed.getKey(), state)
                        .isEqualTo(accepts);
            }
            for (var deed : STOPPING.values()) {
                resultOf(deed, strategy, state);
            }
        }
    }

    private static Object resultOf(Deed deed, Strategy strategy, String state) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var subject = new Subject(scope, state);
            var result = Waits.on(Aside.run(() -> deed.doTo(subject.actor)));
            subject.release.countDown();
            subject.actor.close();
            assertThat(subject.actor.state()).isEqualTo(ActorState.STOPPED);
            return result;
        }
    }
}
