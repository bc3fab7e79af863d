package io.fibry.bench;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.bench.report.Report;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Asks one that is busy until all of the asks have timed out, in a JVM of its own, and reports what they have left in the heap. */
enum TimedOutAsks {
    /** Asks of an actor, with a limit. */
    FIBRY("Fibry", "<= 40") {
        @Override
        IntFunction<CompletableFuture<Integer>> busy(CountDownLatch free) {
            var actor = ActorSystem.anonymous().strategy(CreationStrategy.fibers())
                    .newActorWithReturn((Integer number) -> later(number, free));
            actor.sendMessage(0); // is not interrupted, as the handler of an ask is that nobody waits for
            return number -> actor.ask(number, LIMIT);
        }
    },
    /** Answers of a thread, each a {@code CompletableFuture} with {@code orTimeout}. */
    FUTURE("CompletableFuture, orTimeout", "") {
        @Override
        IntFunction<CompletableFuture<Integer>> busy(CountDownLatch free) {
            var thread = Executors.newSingleThreadExecutor();
            thread.execute(() -> later(0, free));
            return number -> CompletableFuture.supplyAsync(() -> later(number, free), thread)
                    .orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        }
    };

    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final int WARM_UP = 1_000;

    final String peer;
    final String mustBe;

    TimedOutAsks(String peer, String mustBe) {
        this.peer = peer;
        this.mustBe = mustBe;
    }

    /** Returns how to ask one that answers when it is free. */
    abstract IntFunction<CompletableFuture<Integer>> busy(CountDownLatch free);

    static Integer later(Integer number, CountDownLatch free) {
        try {
            free.await();
            return number;
        } catch (InterruptedException nobodyDoesThat) {
            throw new IllegalStateException(nobodyDoesThat);
        }
    }

    /** Returns how many bytes each of so many asks has left as soon as all of them have timed out. */
    double bytes(int count, Report report) throws IOException, InterruptedException {
        return ChildJvm.run(List.of("-Xms1g", "-Xmx1g", "-XX:+UseSerialGC"), TimedOutAsks.class,
                List.of(name(), "" + count), report::progress).get("bytes");
    }

    /** Runs in the child. The arguments are the kind and the number. */
    public static void main(String[] args) throws InterruptedException {
        var kind = valueOf(args[0]);
        int count = Integer.parseInt(args[1]);
        var free = new CountDownLatch(1);
        timeOut(kind.busy(free), WARM_UP);
        var ask = kind.busy(free);
        var before = Heap.live();
        timeOut(ask, count);
        ChildJvm.result("bytes", Math.max(0.01, (double) (Heap.live() - before) / count));
        Runtime.getRuntime().halt(0); // both are still busy
    }

    private static void timeOut(IntFunction<CompletableFuture<Integer>> ask, int count)
            throws InterruptedException {
        var over = new Semaphore(0);
        for (int i = 0; i < count; i++) {
            var unused = ask.apply(i).whenComplete((answer, late) -> over.release());
        }
        over.acquire(count);
    }
}
