package io.fibry.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.testing.Aside;
import io.fibry.testing.BugClass;
import io.fibry.testing.Child;
import io.fibry.testing.Scopes;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@BugClass(32)
class OneCarrierFairnessTest {
    private static final List<String> ONE_CARRIER = List.of("-Djdk.virtualThreadScheduler.parallelism=1",
            "-Djdk.virtualThreadScheduler.maxPoolSize=1");
    private static final String SLOW = "slow";
    private static final int ASKS = 100;
    private static final long MESSAGE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final AtomicLong busyHandled = new AtomicLong();
    private volatile boolean end;

    @ParameterizedTest
    @ValueSource(strings = {"endless", "flood", SLOW, "many"})
    void aBusyActorLetsOthersRunOnOneCarrier(String busy) throws Exception {
        Child.run(Fibers.class, ONE_CARRIER, busy);
    }

    /** Counts what is handled meanwhile. A carrier that the system holds up while it changes queues may find the busy actor first. */
    @Tag("timing")
    @Test
    void aBusyActorGivesWayAfterEachLongMessageOnOneCarrier() throws Exception {
        Child.run(Fibers.class, ONE_CARRIER, SLOW, "counted");
    }

    static final class Fibers {
        public static void main(String[] arguments) throws Exception {
            new OneCarrierFairnessTest().assertFair(CreationStrategy.fibers(), arguments[0],
                    arguments.length > 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"endless", "flood", SLOW, "many"})
    void aBusyActorLetsOthersRunOnAPoolOfOne(String busy) throws Exception {
        var pool = CreationStrategy.pool(1);
        assertFair(pool, busy, true);
    }

    private void assertFair(CreationStrategy strategy, String busy, boolean isCounted) throws Exception {
        try (var scope = ActorSystem.configure("busy").strategy(strategy).open()) {
            var actors = makeBusy(scope, busy);
            // Answers how far the busy one is by then: what holds up the asker afterwards is not its doing.
            var other = scope.anonymous().newActorWithReturn((Integer n) -> busyHandled.get());
            Waits.until("busy", () -> busyHandled.get() > 0);
            for (int n = 0; n < ASKS; n++) {
                var answer = other.sendMessageReturn(n);
                var sent = busyHandled.get(); // after the send: what holds up this thread before it counts for nobody
                var meanwhile = Waits.on(answer) - sent;
                if (busy.equals(SLOW) && isCounted) {
                    // Each of its messages takes twice the budget, so it gives way after each.
                    assertThat(meanwhile).as("handled meanwhile").isLessThanOrEqualTo(8);
                }
            }
            end = true;
            for (var actor : actors) {
                actor.askExit();
            }
        }
    }

    private List<Actor<Integer, Void>> makeBusy(ActorScope scope, String busy) {
        return switch (busy) {
            case "endless" -> List.of(endless(scope));
            case "many" -> List.of(endless(scope), endless(scope), endless(scope));
            case "flood" -> {
                var actor = scope.anonymous().newActor((Integer n) -> busyHandled.incrementAndGet());
                Thread.ofPlatform().daemon().start(() -> {
                    while (!end) {
                        if (actor.mailboxSize() < 100_000) {
                            actor.sendMessage(1);
                        }
                    }
                });
                yield List.of(actor);
            }
            default -> {
                var actor = scope.anonymous().newActor((Integer n) -> {
                    var until = System.nanoTime() + MESSAGE_NANOS;
                    while (System.nanoTime() - until < 0) {
                        Thread.onSpinWait();
                    }
                    busyHandled.incrementAndGet();
                });
                for (int n = 0; n < 100_000; n++) {
                    actor.sendMessage(n);
                }
                yield List.of(actor);
            }
        };
    }

    private Actor<Integer, Void> endless(ActorScope scope) {
        var actor = scope.anonymous().<Integer>newActor((context, n) -> {
            busyHandled.incrementAndGet();
            context.self().sendMessage(n);
        });
        actor.sendMessage(1);
        return actor;
    }

    @Test
    void aSenderOnCallerGetsItsThreadBack() throws Exception {
        try (var scope = Scopes.configure().strategy(CreationStrategy.caller()).open()) {
            var returned = new CountDownLatch(1);
            var actor = Aside.run(() -> {
                var made = endless(scope);
                returned.countDown();
                return made;
            });
            Waits.on(returned);
            actor.get().askExit();
        }
    }
}
