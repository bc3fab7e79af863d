package io.fibry.bench;

import io.fibry.Actor;
import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The article's first figures: many threads, and many more fibers. */
final class CreateArticle implements Experiment {
    @Override
    public String name() {
        return "create-article";
    }

    @Override
    public String what() {
        return "makes 3,000 actors on threads and 1,000,000 on fibers, in turns";
    }

    @Override
    public void run(Settings settings, Report report) {
        int threads = settings.pick(3_000, 3_000, 20);
        int fibers = settings.count(1_000_000, 1_000_000, 1_000);
        var forThreads = new Samples();
        var forFibers = new Samples();
        var rounds = settings.pick(9, 3, 1);
        for (int round = 0; round <= rounds; round++) {
            var threadsMillis = millis(threads, () -> Stereotypes.threads().sink(null));
            var fibersMillis = millis(fibers, () -> Stereotypes.fibers().sink(null));
            if (round > 0) { // the first one warms up
                forThreads.add(threadsMillis);
                forFibers.add(fibersMillis);
            }
        }
        report.add(row("%,d threads".formatted(threads), "ms", forThreads, "210"));
        report.add(row("%,d fibers".formatted(fibers), "ms", forFibers, "1,050 (200 K in 210 ms)"));
        var inThatTime = IntStream.range(0, rounds)
                .mapToDouble(i -> fibers * forThreads.values().get(i) / forFibers.values().get(i)).toArray();
        report.add(row("fibers in the time of %,d threads".formatted(threads), "fibers",
                Samples.of(inThatTime), "200,000"));
    }

    private Row row(String subject, String unit, Samples samples, String article) {
        return new Row(name(), subject, unit, samples, "", article);
    }

    /** How long it takes to make that many; they are all alive then, and stopped after. */
    private static double millis(int count, Supplier<Actor<Object, Void>> make) {
        var actors = new Object[count];
        var start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            actors[i] = make.get();
        }
        var nanos = System.nanoTime() - start;
        var alive = Arrays.stream(actors).map(Actor.class::cast).toList();
        stop(alive);
        return nanos / 1e6;
    }

    @SuppressWarnings("rawtypes")
    private static void stop(List<Actor> actors) {
        actors.forEach(Actor::askExit);
        actors.forEach(Actor::waitForExit);
    }
}
