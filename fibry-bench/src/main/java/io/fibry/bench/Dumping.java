package io.fibry.bench;

import com.sun.management.ThreadMXBean;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Measures what a dump of very many idle actors takes: the time, and the memory that it allocates. */
final class Dumping implements Experiment {
    private static final double MILLI_NANOS = 1e6;

    @Override
    public String name() {
        return "dumps";
    }

    @Override
    public String what() {
        return "a dump of 1,000,000 idle actors in a scope: its time, and what it allocates for each actor";
    }

    @Override
    public String checks() {
        return "each dump has counted all actors";
    }

    /** Returns no time: a quick run of all experiments measures each line once. */
    @Override
    public Duration quickTime() {
        return Duration.ZERO;
    }

    @Override
    public Duration quickTimeIfNamed() {
        return Duration.ofSeconds(30);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int count = settings.count(1_000_000, 1_000_000, 10_000);
        var group = "%,d idle actors".formatted(count);
        try (var scope = ActorSystem.open("bench")) {
            var actors = new Object[count];
            Arrays.setAll(actors, n -> scope.anonymous().newActor((Integer message) -> {
            }));
            new Turns(Unit.lower("ms"), settings.pick(3, 1, 0), settings.pick(15, 5, 1)).run(List.of(
                    Line.of(group, "a dump", (own, samples) -> {
                        var start = System.nanoTime();
                        dump(scope, actors.length);
                        samples.add((System.nanoTime() - start) / MILLI_NANOS);
                    })), settings, report);
            var thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            new Turns(Unit.lower("bytes/actor"), 0, settings.pick(5, 2, 1)).run(List.of(
                    Line.of(group, "a dump allocates", (own, samples) -> {
                        var before = thread.getCurrentThreadAllocatedBytes();
                        dump(scope, actors.length);
                        samples.add((double) (thread.getCurrentThreadAllocatedBytes() - before)
                                / actors.length);
                    })), settings, report);
        }
    }

    private static void dump(ActorScope scope, int count) {
        var found = scope.dump().scope();
        if (found.actors() != count || found.idle() != count) {
            throw new AssertionError(
                    "%,d actors, of which %,d idle, instead of %,d".formatted(found.actors(), found.idle(),
                            count));
        }
    }
}
