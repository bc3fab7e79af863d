package io.fibry.bench;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Measures tasks of several sizes that are handed on, one after another, to see from which size on that is cheap. */
final class TaskSize implements Experiment {
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    /** Hands on a task many times, and waits for each answer. Returns the sum of the answers. */
    @FunctionalInterface
    private interface Way {
        long sum(int tasks, Computation task) throws Exception;
    }

    @Override
    public String name() {
        return "task-size";
    }

    @Override
    public String what() {
        return "tasks that make 1, 50 and 1,000 objects and are handed on: an ask, a future, async and await";
    }

    @Override
    public String checks() {
        return "the result of each task, and the sum of the answers";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(5);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int tasks = settings.count(20_000, 2_000, 20);
        try (var pool = Executors.newFixedThreadPool(CORES);
                var virtual = Executors.newVirtualThreadPerTaskExecutor()) {
            var lines = new ArrayList<Line>();
            for (var task : List.of(Computation.of(1), Computation.of(50), Computation.of(1_000))) {
                lines.add(line(tasks, task, Peers.FIBERS + ", ask", TaskSize::asked));
                lines.add(line(tasks, task, "pool of %d threads, Future".formatted(CORES),
                        (count, each) -> future(pool, count, each)));
                lines.add(line(tasks, task, "virtual threads, Future",
                        (count, each) -> virtual.submit(() -> future(virtual, count, each)).get()));
                lines.add(line(tasks, task, "Kotlin, async and await",
                        (count, each) -> Coroutines.await(count, each::run)));
                lines.add(line(tasks, task, "a call, without any hand-over", TaskSize::called));
            }
            new Turns(Unit.lower("µs"), settings.pick(5, 1, 0), settings.pick(15, 2, 1)).run(lines, settings,
                    report);
        }
    }

    private static Line line(int tasks, Computation task, String peer, Way way) {
        var group = "%,d %s".formatted(task.objects(), task.objects() == 1 ? "object" : "objects");
        return Line.of(group, peer, (settings, samples) -> {
            var start = System.nanoTime();
            var sum = way.sum(tasks, task);
            var nanos = System.nanoTime() - start;
            if (sum != (long) tasks * task.result()) {
                throw new AssertionError(
                        "%s, %s: the answers have the sum %,d, not %,d".formatted(group, peer,
                                sum, (long) tasks * task.result()));
            }
            samples.add(nanos / 1e3 / tasks);
        });
    }

    /** An actor asks another one. */
    private static long asked(int tasks, Computation task) throws Exception {
        var worker = ActorSystem.anonymous().strategy(CreationStrategy.fibers()).newActorWithReturn(
                (Integer number) -> task.run());
        var asker = ActorSystem.anonymous().strategy(CreationStrategy.fibers()).newActorWithReturn(
                (Integer count) -> {
                    var sum = 0L;
                    for (int i = 0; i < count; i++) {
                        sum += worker.sendMessageReturn(i).get();
                    }
                    return sum;
                }).closeOnExit(worker);
        try {
            return asker.sendMessageReturn(tasks).get();
        } finally {
            asker.askExit();
        }
    }

    private static long future(ExecutorService executor, int tasks, Computation task) throws Exception {
        Callable<Integer> run = task::run;
        var sum = 0L;
        for (int i = 0; i < tasks; i++) {
            sum += executor.submit(run).get();
        }
        return sum;
    }

    private static long called(int tasks, Computation task) {
        var sum = 0L;
        for (int i = 0; i < tasks; i++) {
            sum += task.run();
        }
        return sum;
    }
}
