package io.fibry.bench;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import kotlinx.coroutines.CoroutineDispatcher;

/** Ways to hand on a task many times, one after another, and to wait for each answer. Thread-safe. */
final class HandOver implements AutoCloseable {
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    private final ExecutorService pool = Executors.newFixedThreadPool(CORES);
    private final ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();

    /** Does a task many times. Returns the sum of the answers. */
    @FunctionalInterface
    interface Way {
        long sum(int times, Callable<Integer> task) throws Exception;
    }

    /** Returns a line for each way. The task always has the same result. */
    List<Line> lines(String group, int times, Callable<Integer> task, int result,
            CoroutineDispatcher dispatcher) {
        return List.of(line(group, Peers.FIBERS + ", ask", times, task, result, HandOver::asked),
                line(group, "pool of %d threads, Future".formatted(CORES), times, task, result,
                        (count, each) -> future(pool, count, each)),
                line(group, "virtual threads, Future", times, task, result,
                        (count, each) -> virtual.submit(() -> future(virtual, count, each)).get()),
                line(group, "Kotlin, async and await", times, task, result,
                        (count, each) -> Coroutines.await(dispatcher, count, each)),
                line(group, "a call, without any hand-over", times, task, result, HandOver::called));
    }

    /** Returns a line that shows the time for each task in µs. */
    static Line line(String group, String peer, int times, Callable<Integer> task, int result, Way way) {
        return Line.of(group, peer, (settings, samples) -> {
            var start = System.nanoTime();
            var sum = way.sum(times, task);
            var nanos = System.nanoTime() - start;
            if (sum != (long) times * result) {
                throw new AssertionError(
                        "%s, %s: the answers have the sum %,d, not %,d".formatted(group, peer,
                                sum, (long) times * result));
            }
            samples.add(nanos / 1e3 / times);
        });
    }

    /** An actor asks another one. */
    private static long asked(int times, Callable<Integer> task) throws Exception {
        var worker = ActorSystem.anonymous().strategy(CreationStrategy.fibers()).newActorWithReturn(
                (Integer number) -> task.call());
        var asker = ActorSystem.anonymous().strategy(CreationStrategy.fibers()).newActorWithReturn(
                (Integer count) -> {
                    var sum = 0L;
                    for (int i = 0; i < count; i++) {
                        sum += worker.sendMessageReturn(i).get();
                    }
                    return sum;
                }).closeOnExit(worker);
        try {
            return asker.sendMessageReturn(times).get();
        } finally {
            asker.askExit();
        }
    }

    private static long future(ExecutorService executor, int times, Callable<Integer> task) throws Exception {
        var sum = 0L;
        for (int i = 0; i < times; i++) {
            sum += executor.submit(task).get();
        }
        return sum;
    }

    private static long called(int times, Callable<Integer> task) throws Exception {
        var sum = 0L;
        for (int i = 0; i < times; i++) {
            sum += task.call();
        }
        return sum;
    }

    @Override
    public void close() {
        pool.close();
        virtual.close();
    }
}
