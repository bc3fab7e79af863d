package io.fibry.bench;

import io.fibry.bench.jmh.SleepersBenchmark;
import io.fibry.bench.jmh.SleepersBenchmark.Sleeper;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.List;

/** Measures many tasks that block: in actors, in virtual threads, in pools, and in coroutines. */
final class Sleepers implements Experiment {
    /** The option fixes the number of threads, which otherwise depends on the number of processors. */
    private static final String IO_THREADS =
            "-Dkotlinx.coroutines.io.parallelism=" + SleepersBenchmark.POOL;

    @Override
    public String name() {
        return "sleepers";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(11);
    }

    @Override
    public String what() {
        return "100,000 tasks that block 100 ms: actors, virtual threads, a pool of 64, coroutines";
    }

    @Override
    public String checks() {
        return "all have woken up";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int count = settings.count(100_000, 100_000, 500);
        int millis = settings.pick(100, 100, 1);
        var fibers = of(count, millis, Peers.FIBERS, Sleeper.ACTOR);
        var bare = of(count, millis, "bare virtual threads", Sleeper.BARE);
        var lanesOff = Line.of(fibers.group(), Peers.FIBERS_LANES_OFF,
                jmh(count, millis, Sleeper.ACTOR).jvmArgs(Peers.LANES_OFF)).notQuick();
        var kotlin = of(count, millis, "Kotlin, delay", Sleeper.KOTLIN);
        var onFibry =
                of(count, millis, "Kotlin, blocking on Fibry's fibers", Sleeper.KOTLIN_FIBRY)
                        .article(671.8, "virtual threads");
        int rounds = settings.pick(20, 2, 1);
        var pool = extrapolated(count, millis, rounds, "pool of 64 threads", Sleeper.POOL)
                .article(161_956, "");
        var io = extrapolated(count, millis, rounds, "Kotlin, blocking on Dispatchers.IO", Sleeper.KOTLIN_IO)
                .article(162_048, "").notQuick();
        var rows = JmhRun.turns(settings, Unit.lower("ms")).run(
                List.of(fibers, bare, lanesOff, kotlin, onFibry, pool, io), settings, report);
        report.note("64 threads were given %,d tasks; that time is scaled up to %,d".formatted(
                rounds * SleepersBenchmark.POOL, count));
        Turns.ratio(rows, fibers, bare, "<= 1.2", report);
    }

    private static Line of(int count, int millis, String peer, Sleeper who) {
        return Line.of(group(count, millis), peer, jmh(count, millis, who));
    }

    /**
     * Returns a line with fewer tasks, whose time is scaled up. All threads are busy from the first task to the last
     * one, so the time grows with the tasks.
     */
    private static Line extrapolated(int count, int millis, int rounds, String peer, Sleeper who) {
        int fewer = rounds * SleepersBenchmark.POOL;
        return Line.of(group(count, millis), peer + ", extrapolated",
                jmh(fewer, millis, who).jvmArgs(IO_THREADS).times((double) count / fewer));
    }

    private static String group(int count, int millis) {
        return "%,d × %d ms".formatted(count, millis);
    }

    private static JmhRun jmh(int count, int millis, Sleeper who) {
        return JmhRun.of(SleepersBenchmark.class, "sleep").with("who", who).with("sleepers", count)
                .with("millis", millis);
    }
}
