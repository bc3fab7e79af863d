package io.fibry.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.Bulkhead;
import io.fibry.BulkheadFullException;
import io.fibry.Stereotypes;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BulkheadTest {
    private final Bulkhead bulkhead = Bulkhead.of("door", 1, 2);
    private final CountDownLatch release = new CountDownLatch(1);

    private Thread call(Bulkhead at, AtomicInteger made, int waitingAfter) {
        var thread = Thread.startVirtualThread(() -> {
            try {
                at.call(() -> {
                    made.incrementAndGet();
                    release.await();
                    return 1;
                });
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        await().until(() -> at.running() == 1 && at.waiting() == waitingAfter);
        return thread;
    }

    @Test
    @Promise("24.6")
    void callsPastBothLimitsAreRefusedAtOnceAndTheOthersAreMadeInOrder() throws Exception {
        var order = new CopyOnWriteArrayList<Integer>();
        var made = new AtomicInteger();
        var first = call(bulkhead, made, 0);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 2; i++) {
            var number = i;
            threads.add(Thread.startVirtualThread(() -> {
                try {
                    bulkhead.call(() -> order.add(number));
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }));
            await().until(() -> bulkhead.waiting() == number + 1
                    && threads.getLast().getState() == Thread.State.WAITING);
        }
        assertThatThrownBy(() -> bulkhead.call(() -> 1)).isInstanceOf(BulkheadFullException.class)
                .hasMessageContaining("'door'").hasMessageContaining("1 calls")
                .hasMessageContaining("2 wait");
        release.countDown();
        for (var thread : threads) {
            Waits.on(thread);
        }
        Waits.on(first);
        assertThat(order).containsExactly(0, 1);
        assertThat(bulkhead).hasToString("Bulkhead[door, 0 of 1 calls, 0 of 2 waiting]");
    }

    @Test
    @Promise("24.6")
    void whoIsInterruptedWhileItWaitsLeavesNothingBehind() throws Exception {
        var made = new AtomicInteger();
        var first = call(bulkhead, made, 0);
        var outcome = new CompletableFuture<Throwable>();
        var second = Thread.startVirtualThread(() -> {
            try {
                bulkhead.call(made::incrementAndGet);
            } catch (Exception e) {
                outcome.complete(e);
            }
        });
        await().until(() -> bulkhead.waiting() == 1);
        second.interrupt();
        assertThat(Waits.on(outcome)).isInstanceOf(InterruptedException.class).hasMessageContaining("'door'");
        assertThat(bulkhead.waiting()).isZero();
        release.countDown();
        Waits.on(first);
        assertThat(made).hasValue(1);
        assertThatThrownBy(() -> bulkhead.call(() -> {
            throw new IllegalStateException("as wanted");
        })).isInstanceOf(IllegalStateException.class);
        assertThat(bulkhead.running()).isZero();
    }

    @Promise("24.6")
    @EveryStrategy
    void actorsNeverMakeMoreCallsThanThatAtATime(Strategy strategy) throws Exception {
        var wide = Bulkhead.of("wide", 3, 1_000);
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        var done = new CountDownLatch(200);
        try (var scope = Scopes.on(strategy)) {
            Senders.run(8, sender -> {
                var actor = scope.anonymous().newActor((Integer n) -> wide.call(() -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    Thread.yield();
                    running.decrementAndGet();
                    done.countDown();
                    return n;
                }));
                for (int i = 0; i < 25; i++) {
                    actor.sendMessage(i);
                }
            });
            Waits.on(done);
        }
        assertThat(most.get()).isBetween(1, 3);
        assertThat(wide.running()).isZero();
        assertThat(wide.waiting()).isZero();
    }

    @Promise("24.6")
    @EveryStrategy
    void theCataloguesBulkheadHasTheBuildersNameAndIsNoActor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var door = Stereotypes.with(scope.named("store")).bulkhead(1, 0);
            assertThat(scope.find("store")).isEmpty();
            var begun = new CountDownLatch(1);
            var slow = scope.anonymous().newActorWithReturn((Integer n) -> door.call(() -> {
                begun.countDown();
                release.await();
                return n;
            }));
            var quick = scope.named("store").newActorWithReturn((Integer n) -> door.call(() -> n));
            var first = CompletableFuture.supplyAsync(() -> slow.apply(1));
            Waits.on(begun);
            assertThat(Waits.failure(quick.sendMessageReturn(2))).isInstanceOf(BulkheadFullException.class)
                    .hasMessageContaining("'store'");
            release.countDown();
            assertThat(Waits.on(first)).isEqualTo(1);
            await().until(() -> door.running() == 0);
            assertThat(Waits.on(quick.sendMessageReturn(3))).isEqualTo(3);
        }
        assertThat(Stereotypes.fibers().bulkhead(2, 3)).hasToString(
                "Bulkhead[anonymous, 0 of 2 calls, 0 of 3 waiting]");
        assertThatThrownBy(() -> Stereotypes.def().bulkhead(0, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Promise("24.6")
    void numbersThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> Bulkhead.of("x", 0, 1)).hasMessageContaining("calls")
                .hasMessageContaining("0");
        assertThatThrownBy(() -> Bulkhead.of("x", 1, -1)).hasMessageContaining("waiting")
                .hasMessageContaining("-1");
    }
}
