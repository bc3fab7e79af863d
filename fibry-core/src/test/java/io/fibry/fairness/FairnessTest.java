package io.fibry.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.testing.BusyCarriers;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FairnessTest {
    private static final int BUDGET = 1_024;

    @Promise("8.1")
    @EveryStrategy
    void actorsThatNeverRunOutOfMailLeaveTimeForOthers(Strategy strategy) throws Exception {
        var over = new AtomicBoolean();
        try (var scope = Scopes.on(strategy)) {
            // Far more than there are processors.
            for (int i = 0; i < 8 * Runtime.getRuntime().availableProcessors(); i++) {
                scope.anonymous().<Integer>newActor((context, n) -> {
                    if (!over.get()) {
                        context.self().sendMessage(n);
                    }
                }).sendMessage(1);
            }
            var handled = new ArrayList<CompletableFuture<Integer>>();
            for (int i = 0; i < 20; i++) {
                handled.add(scope.anonymous().newActorWithReturn((Integer n) -> n).sendMessageReturn(i));
            }
            for (int i = 0; i < 20; i++) {
                assertThat(Waits.on(handled.get(i))).isEqualTo(i);
            }
            over.set(true);
        }
    }

    @Promise("8.1")
    @EveryStrategy
    void soDoActorsThatKeepEachOtherBusy(Strategy strategy) throws Exception {
        var over = new AtomicBoolean();
        try (var scope = Scopes.on(strategy)) {
            var ring = new ArrayList<Actor<Integer, Void>>();
            var size = 5;
            for (int i = 0; i < size; i++) {
                var next = (i + 1) % size;
                ring.add(scope.anonymous().newActor((Integer n) -> {
                    if (!over.get()) {
                        ring.get(next).sendMessage(n);
                    }
                }));
            }
            var starters = Senders.start(size, sender -> ring.get(sender).sendMessage(sender));
            for (int i = 0; i < 20; i++) {
                assertThat(Waits.on(scope.anonymous().newActorWithReturn((Integer n) -> n)
                        .sendMessageReturn(i))).isEqualTo(i);
            }
            over.set(true);
            starters.join();
        }
    }

    /**
     * A virtual thread that is unparked by another one, or yields while others wait there, goes to its
     * carrier's own queue, and a carrier looks elsewhere only when that is empty.
     */
    @Promise("8.1")
    @Test
    void busyFibersThatFillEveryCarriersOwnQueueLeaveTimeForOthersToo() throws Exception {
        var carriers = BusyCarriers.count();
        var over = new AtomicBoolean();
        try (var scope = ActorSystem.configure("test").strategy(CreationStrategy.fibers()).open()) {
            var waiting = new CountDownLatch(4 * carriers);
            var releasing = new AtomicInteger();
            var releases = new ArrayList<CountDownLatch>();
            for (int i = 0; i < 4 * carriers; i++) {
                var release = new CountDownLatch(1);
                releases.add(release);
                scope.anonymous().<Integer>newActor((context, n) -> {
                    if (n == 0) {
                        waiting.countDown();
                        release.await();
                    }
                    if (!over.get()) {
                        context.self().sendMessage(1);
                    }
                }).sendMessage(0);
            }
            Waits.on(waiting);
            for (int i = 0; i < carriers; i++) {
                var first = i;
                Thread.startVirtualThread(() -> {
                    releasing.incrementAndGet();
                    while (releasing.get() < carriers) {
                        Thread.onSpinWait(); // one on each carrier
                    }
                    for (int k = first; k < releases.size(); k += carriers) {
                        releases.get(k).countDown();
                    }
                });
            }
            try {
                for (int i = 0; i < 20; i++) {
                    assertThat(Waits.on(scope.anonymous().newActorWithReturn((Integer n) -> n)
                            .sendMessageReturn(i))).isEqualTo(i);
                }
            } finally {
                over.set(true);
            }
        }
    }

    @Promise("8.1")
    @Test
    void onCallerTheSendersThreadComesBackAndAFiberGoesOn() throws Exception {
        var threads = new ArrayList<Thread>();
        var goOn = new CountDownLatch(1);
        var fiber = new CompletableFuture<Boolean>();
        try (var scope = ActorSystem.configure("test").strategy(CreationStrategy.caller()).open()) {
            scope.anonymous().<Integer>newActor((context, n) -> {
                threads.add(Thread.currentThread());
                if (Thread.currentThread().isVirtual()) {
                    fiber.complete(true);
                    goOn.await(); // the sender does not wait for this
                } else {
                    context.self().sendMessage(n + 1);
                }
            }).sendMessage(1);
            assertThat(Waits.on(fiber)).isTrue();
            assertThat(threads).hasSizeBetween(2, BUDGET + 2);
            assertThat(threads.subList(0, threads.size() - 1)).containsOnly(Thread.currentThread());
            goOn.countDown();
        }
    }
}
