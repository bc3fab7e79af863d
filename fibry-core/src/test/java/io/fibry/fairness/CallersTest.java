package io.fibry.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.CreationStrategy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class CallersTest {
    @Promise("7.1")
    @ParameterizedTest(name = "{0}")
    @EnumSource(value = Strategy.class, mode = Mode.EXCLUDE, names = "CALLER")
    void aForeignThreadRunsNoHandler(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread());
            for (var caller : new Executor[]{Runnable::run, Thread::startVirtualThread}) {
                var done = new CompletableFuture<Boolean>();
                caller.execute(() -> {
                    var here = Thread.currentThread();
                    done.complete(actor.apply(1) != here && actor.sendMessageReturn(1).join() != here);
                });
                assertThat(Waits.on(done)).isTrue();
            }
        }
    }

    @Promise("7.1")
    @ParameterizedTest(name = "{0}")
    @EnumSource(value = Strategy.class, mode = Mode.EXCLUDE, names = "THREADS")
    void aWaitingThreadRunsAnIdleActorThatAllowsIt(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().runByCallers()
                    .newActorWithReturn((Integer n) -> Thread.currentThread());
            assertThat(actor.apply(1)).isSameAs(Thread.currentThread());
            assertThat(actor.sendMessageReturnWait(1)).isSameAs(Thread.currentThread());
            Thread.currentThread().interrupt();
            assertThat(actor.sendMessageReturn(1).join()).as("whoever came first").isNotNull();
            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        }
    }

    @Promise("7.1")
    @EveryStrategy
    void nothingElseChangesForAnActorThatCallersMayRun(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var inside = new AtomicInteger();
            var count = new int[1];
            var actor = scope.anonymous().runByCallers().newActorWithReturn((Integer n) -> {
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                if (n < 0) {
                    inside.decrementAndGet();
                    throw new IllegalStateException("negative");
                }
                count[0]++;
                inside.decrementAndGet();
                return n;
            });
            Senders.run(4, sender -> {
                for (int i = 0; i < 1_000; i++) {
                    switch (i % 3) {
                        case 0 -> assertThat(actor.apply(i)).isEqualTo(i);
                        case 1 -> assertThat(actor.sendMessageReturn(i).get()).isEqualTo(i);
                        default -> actor.sendMessage(i);
                    }
                }
            });
            assertThat(actor.sendMessageReturn(1).get()).isEqualTo(1);
            assertThat(count).containsExactly(4_001);
            assertThat(catchCause(() -> actor.apply(-1))).isInstanceOf(IllegalStateException.class);
            actor.close();
            actor.waitForExit();
            assertThat(catchCause(() -> actor.apply(1)).getMessage()).contains("stopped");
        }
    }

    /** The turn that the ask started is given to the strategy when its asker may not wait. */
    @Promise("7.1")
    @Test
    void anAskerThatMayNotWaitLeavesTheTurnToTheStrategy() throws Exception {
        try (var scope = ActorSystem.configure("callers").listener(event -> {
        }).open()) {
            var self = scope.anonymous().runByCallers().newActorWithReturn(
                    (io.fibry.ActorContext<Integer, Integer> context, Integer n) -> context.self().apply(n));
            assertThat(catchCause(() -> self.apply(1))).isInstanceOf(AskCycleException.class);
        }
    }

    /** A caller that has its answer goes on; what is left is for the strategy, not for a thread of our own. */
    @Promise("7.1")
    @Test
    void whatACallerLeavesIsRunByTheExecutorOfTheStrategy() throws Exception {
        var threads = new CopyOnWriteArrayList<Thread>();
        ThreadFactory factory = task -> {
            var thread = Thread.ofPlatform().name("mine").unstarted(task);
            threads.add(thread);
            return thread;
        };
        try (var mine = Executors.newSingleThreadExecutor(factory)) {
            var executor = (Executor) mine::execute;
            for (var strategy : List.of(CreationStrategy.of(executor), (CreationStrategy) name -> executor)) {
                try (var scope = ActorSystem.configure("callers").strategy(strategy).open()) {
                    var sent = new CountDownLatch(1);
                    var begun = new CountDownLatch(1);
                    var actor = scope.anonymous().runByCallers().newActorWithReturn((Integer n) -> {
                        if (n == 0) {
                            begun.countDown();
                            Waits.on(sent);
                        }
                        return Thread.currentThread();
                    });
                    var caller = CompletableFuture
                            .supplyAsync(() -> List.of(actor.apply(0), Thread.currentThread()));
                    Waits.on(begun);
                    var rest = new ArrayList<CompletableFuture<Thread>>();
                    for (int i = 1; i < 5; i++) {
                        rest.add(actor.sendMessageReturn(i));
                    }
                    sent.countDown();
                    assertThat(Waits.on(caller)).as("the caller ran its own ask").hasSize(2)
                            .allMatch(Waits.on(caller).get(1)::equals);
                    Waits.until("the rest", () -> rest.stream().allMatch(CompletableFuture::isDone));
                    for (var answer : rest) {
                        assertThat(threads).contains(Waits.on(answer));
                    }
                }
            }
        }
    }

    private static Throwable catchCause(Runnable asks) {
        try {
            asks.run();
        } catch (CompletionException e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            return cause;
        }
        throw new AssertionError("did not fail");
    }
}
