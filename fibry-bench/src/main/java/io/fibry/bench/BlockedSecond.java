package io.fibry.bench;

import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Measures how long many tasks that block take in all, and how much memory they need meanwhile. */
final class BlockedSecond implements Experiment {
    private static final int FIXED = 200;
    private static final int SHOWN = 8;

    /** A peer, the number of its tasks, and the time, memory and CPU use of the article; 0 if it has none. */
    private record Who(BlockedTasks tasks, String peer, int count, double seconds, double mebibytes,
            double cpuPercent) {
    }

    @Override
    public String name() {
        return "blocked-second";
    }

    @Override
    public String what() {
        return "100,000 tasks that block 1 s: fibers, a pool of 200, a pool without a bound; time, memory, CPU, bytes";
    }

    @Override
    public String checks() {
        return "all that were started have ended";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(8);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int count = settings.count(100_000, 100_000, 400);
        int millis = settings.pick(1_000, 1_000, 20);
        int fewer = settings.pick(10, 2, 1) * FIXED;
        int stopped = settings.pick(8_000, 2_000, 50);
        var all = List.of(new Who(BlockedTasks.FIBERS, Peers.FIBERS, count, 9, 162, 0),
                new Who(BlockedTasks.OWN_THREADS, "Fibry, a virtual thread each", count, 0, 0, 0),
                new Who(BlockedTasks.FIXED, "pool of %d threads, time extrapolated".formatted(FIXED), fewer,
                        61, 477, 30),
                new Who(BlockedTasks.CACHED, "pool without a bound, stopped at %,d threads".formatted(
                        stopped), stopped, 0, 0, 0),
                new Who(BlockedTasks.VIRTUAL, "virtual threads", count, 9, 162, 0));
        var found = new HashMap<Line, Costs>();
        var lines = new ArrayList<Line>();
        for (var who : all) {
            var costs = new Costs();
            int done = who.tasks == BlockedTasks.CACHED ? who.count : count; // others' time is scaled up
            var line = Line.of("%,d × %,d ms".formatted(done, millis), who.peer, (own, samples) -> {
                var outcome = outcome(who, millis);
                samples.add(outcome.seconds * done / who.count);
                costs.add(outcome, (double) done / who.count);
                report.note("%s, %s".formatted(who.peer, outcome.memoryOverTime()));
            }).article(who.seconds, "");
            found.put(line, costs);
            lines.add(line);
        }
        var rows = new Turns(Unit.lower("s"), 0, settings.timesEach()).run(lines, settings, report);
        rows.keySet().forEach(line -> report.add(new Row("memory at most", line.peer(), Unit.lower("MiB"),
                found.get(line).most).withArticle(all.get(lines.indexOf(line)).mebibytes, "")));
        for (int i = 0; i < Costs.PARTS; i++) {
            for (var line : rows.keySet()) {
                report.add(new Row("memory after %d %% of the time".formatted(100 * (i + 1) / Costs.PARTS),
                        line.peer(),
                        Unit.lower("MiB"), found.get(line).curve.get(i)));
            }
        }
        rows.keySet().forEach(line -> report.add(new Row("time of processors", line.peer(), Unit.lower("s"),
                found.get(line).cpu)));
        rows.keySet().forEach(line -> report.add(new Row("allocated", line.peer(), Unit.lower("bytes a task"),
                found.get(line).bytes)));
        Turns.ratio(rows, lines.getFirst(), lines.getLast(), "<= 1.25", report);
        report.add(new Row("memory at most", lines.getFirst().peer() + " / " + lines.getLast().peer(),
                Unit.lower("ratio"),
                found.get(lines.getFirst()).most.dividedBy(found.get(lines.getLast()).most))
                .withMustBe("<= 1.25"));
        rows.keySet().forEach(line -> report.add(new Row("processors in use", line.peer(),
                Unit.lower("% of them"), found.get(line).use)
                .withArticle(all.get(lines.indexOf(line)).cpuPercent, "30 % at most")));
        report.note("the pool of %d was given %,d tasks; its time is scaled up, its memory is not".formatted(
                FIXED, fewer));
        report.note("the pool without a bound was given %,d; in the article it ran out of memory".formatted(
                stopped));
    }

    /** What a peer needs beside the time: memory at most and over time, the processors' time, their use, and bytes a task. */
    private record Costs(Samples most, List<Samples> curve, Samples cpu, Samples use, Samples bytes) {
        static final int PARTS = 4;

        Costs() {
            this(new Samples(), Stream.generate(Samples::new).limit(PARTS).toList(), new Samples(),
                    new Samples(), new Samples());
        }

        /** Adds an outcome, whose times are scaled up by a factor. */
        void add(Outcome outcome, double scale) {
            most.add(outcome.memory.stream().mapToLong(Long::longValue).max().orElseThrow());
            for (int i = 0; i < PARTS; i++) {
                curve.get(i).add(outcome.memory.get((outcome.memory.size() - 1) * (i + 1) / PARTS));
            }
            bytes.add(outcome.bytes);
            cpu.add(scale * outcome.cpuSeconds);
            use.add(100 * outcome.cpuSeconds / outcome.seconds / Runtime.getRuntime().availableProcessors());
        }
    }

    private record Outcome(double seconds, double cpuSeconds, double bytes, List<Long> memory,
            long everyMillis) {

        /** Returns some of the values, from the first to the last. */
        String memoryOverTime() {
            int last = memory.size() - 1;
            int step = last / SHOWN + 1;
            var shown = new ArrayList<String>();
            for (int i = 0; i <= last; i += step) {
                shown.add(memory.get(i) + " after " + i * everyMillis);
            }
            return "MiB after so many ms: " + shown.stream().collect(Collectors.joining(", "));
        }
    }

    private static Outcome outcome(Who who, int millis) throws IOException, InterruptedException {
        var memory = new ArrayList<Long>();
        var results = ChildJvm.run(List.of("-Xmx2g", "-XX:+ExitOnOutOfMemoryError"), BlockedTasks.class,
                List.of(who.tasks.name(), "" + who.count, "" + millis, "" + FIXED),
                line -> memory.addAll(BlockedTasks.memory(line)));
        if (results.get("ended") != who.count) {
            throw new AssertionError("%s: of %,d tasks %,.0f ended".formatted(who.peer, who.count,
                    results.get("ended")));
        }
        return new Outcome(results.get("seconds"), results.get("cpu"), results.get("bytes"), memory,
                BlockedTasks.EVERY_MILLIS);
    }
}
