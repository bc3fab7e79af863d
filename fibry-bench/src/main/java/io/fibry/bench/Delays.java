package io.fibry.bench;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import kotlinx.coroutines.CoroutineDispatcher;
import kotlinx.coroutines.Dispatchers;

/** Measures many tasks that wait without a thread: coroutines in {@code delay} on each dispatcher, and timers. */
final class Delays implements Experiment {
    private static final int PATIENCE_SECONDS = 60;

    /** What each task does after its wait. */
    private record Task(CountDownLatch left, AtomicInteger early, AtomicInteger ran, long notBefore) {
        static Task of(int count, int millis) {
            return new Task(new CountDownLatch(count), new AtomicInteger(), new AtomicInteger(),
                    System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
        }

        void run() {
            if (System.nanoTime() < notBefore) {
                early.incrementAndGet();
            }
            ran.incrementAndGet();
            left.countDown();
        }

        /** Waits for all tasks up to a limit. The counts show whether tasks are missing. */
        void await() throws InterruptedException {
            left.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Lets a task run many times, each time after a wait. Returns when all of them have run. */
    @FunctionalInterface
    private interface Way {
        void delay(int count, int millis, Task task) throws InterruptedException;
    }

    @Override
    public String name() {
        return "delays";
    }

    @Override
    public String what() {
        return "10,000 tasks that wait 100 ms without a thread: coroutines on each dispatcher, timers";
    }

    @Override
    public String checks() {
        return "each task has run once, and none before its time";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(4);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int count = settings.count(10_000, 10_000, 100);
        int millis = settings.pick(100, 100, 5);
        var lines = List.of(of(count, millis, Peers.FIBERS + ", a scope's scheduler", Delays::scheduled),
                of(count, millis, "virtual threads that sleep", Delays::sleeping),
                of(count, millis, "Kotlin, delay on Fibry's fibers",
                        on(Coroutines.dispatcher(CreationStrategy.fibers())))
                        .article(183.1, "virtual threads"),
                of(count, millis, "Kotlin, delay on Dispatchers.IO", on(Dispatchers.getIO()))
                        .article(222.5, ""),
                of(count, millis, "Kotlin, delay on Dispatchers.Default", on(Dispatchers.getDefault())),
                of(count, millis, "Kotlin, delay on Dispatchers.Unconfined",
                        on(Dispatchers.getUnconfined())));
        new Turns(Unit.lower("ms"), settings.pick(5, 0, 0), settings.pick(21, 2, 1)).run(lines, settings,
                report);
    }

    private static Line of(int count, int millis, String peer, Way way) {
        return Line.of("%,d × %d ms".formatted(count, millis), peer,
                (settings, samples) -> samples.add(millis(count, millis, peer, way)));
    }

    private static double millis(int count, int millis, String peer, Way way) throws InterruptedException {
        var start = System.nanoTime();
        var task = Task.of(count, millis);
        way.delay(count, millis, task);
        var nanos = System.nanoTime() - start;
        if (task.ran.get() != count || task.early.get() > 0) {
            throw new AssertionError("%s: %,d of %,d have run, %,d of them too early".formatted(peer,
                    task.ran.get(), count, task.early.get()));
        }
        return nanos / 1e6;
    }

    private static void scheduled(int count, int millis, Task task) throws InterruptedException {
        try (var scope = ActorSystem.configure("delays").strategy(CreationStrategy.fibers()).open()) {
            var once = Schedule.once(Duration.ofMillis(millis));
            for (int i = 0; i < count; i++) {
                scope.schedule(once, task::run);
            }
            task.await();
        }
    }

    private static void sleeping(int count, int millis, Task task) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                threads.submit(() -> {
                    Thread.sleep(millis);
                    task.run();
                    return null;
                });
            }
        }
    }

    private static Way on(CoroutineDispatcher dispatcher) {
        return (count, millis, task) -> Coroutines.delay(dispatcher, count, millis, task::run);
    }
}
