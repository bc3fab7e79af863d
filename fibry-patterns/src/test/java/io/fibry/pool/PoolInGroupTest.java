package io.fibry.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.AskCycleException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.GroupPolicy.Affected;
import io.fibry.Lifetime;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A member of a group waits for a pool, whose only worker waits for the successor of another member. */
class PoolInGroupTest {
    private static final int FAIL = 0;

    @Promise("39.13")
    @EveryStrategy
    void aGroupDoesNotWaitForAMemberThatWaitsForTheSuccessorOfAnother(Strategy strategy) throws Exception {
        var failing = new CountDownLatch(1);
        var fails = new CountDownLatch(1);
        var starts = new AtomicInteger();
        var refused = new CompletableFuture<Throwable>();
        try (var scope = Scopes.on(strategy, event -> {
        }, new ManualTime());
                var group = scope.named("group")
                        .newGroup(new GroupPolicy(Affected.ALL,
                                FailurePolicy.restart(3, Duration.ofMinutes(1))))) {
            group.add("asked", Lifetime.PERMANENT, builder -> {
                starts.incrementAndGet();
                return builder.newActorWithReturn((Integer n) -> {
                    if (n == FAIL) {
                        failing.countDown();
                        Waits.on(fails);
                        throw new IllegalStateException("as the test wants it");
                    }
                    return n;
                });
            });
            Actor<Integer, Integer> asked = scope.<Integer, Integer>find(ActorName.of("asked")).orElseThrow();
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "pool", PoolOptions.fixed(1, 10),
                    n -> asked.sendMessageReturn(n).join());
            group.add("asker", Lifetime.PERMANENT, builder -> {
                starts.incrementAndGet();
                return builder.newActorWithReturn((Integer n) -> {
                    try {
                        return pool.sendMessageReturn(n).join();
                    } catch (Throwable thrown) {
                        refused.complete(thrown);
                        throw thrown;
                    }
                });
            });
            Thread.startVirtualThread(() -> asked.sendMessage(FAIL));
            Waits.on(failing);
            Thread.startVirtualThread(
                    () -> scope.<Integer, Integer>find(ActorName.of("asker")).orElseThrow().sendMessage(7));
            Waits.until("the ask waits", () -> asked.mailboxSize() > 0);
            fails.countDown();
            Waits.until("the restart", () -> starts.get() == 4);
            var thrown = Waits.on(refused); // the worker may run on the stack of the member
            while (!(thrown instanceof AskCycleException) && thrown.getCause() != null) {
                thrown = thrown.getCause();
            }
            assertThat(thrown).isInstanceOf(AskCycleException.class).hasMessageContaining("'group'");
        }
    }
}
