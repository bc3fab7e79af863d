package io.fibry.bench;

import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Measures how many tasks that block can be begun in a small JVM: the pool without a bound comes to its end there. The
 * system limits the addresses of that process alone, so that no other process is in danger.
 */
final class ThreadLimit implements Experiment {
    private static final int GIBIBYTES = 3;
    private static final int MILLIS = 1_000;
    /** Sets the limit, and becomes the JVM. */
    private static final List<String> LIMITED =
            List.of("/bin/sh", "-c", "ulimit -v \"$0\" && exec \"$@\"", "" + (GIBIBYTES << 20));
    private static final List<String> SMALL = List.of("-Xmx512m", "-Xss1m", "-XX:+UseSerialGC",
            "-XX:CompressedClassSpaceSize=32m", "-XX:ReservedCodeCacheSize=64m");

    @Override
    public String name() {
        return "thread-limit";
    }

    @Override
    public String what() {
        return "how many of 100,000 tasks that block 1 s are begun where %d GiB of addresses are all there is"
                .formatted(GIBIBYTES);
    }

    @Override
    public String checks() {
        return "all fibers and virtual threads have ended; the pool without a bound got no more threads";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(5);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        if (!Files.isReadable(Path.of("/proc/self/limits"))) {
            report.note("this system has no limit of addresses: the experiment needs Linux");
            return;
        }
        int count = settings.count(100_000, 100_000, 5_000);
        new Turns(Unit.higher("tasks begun"), 0, settings.timesEach()).run(
                List.of(line(Peers.FIBERS, BlockedTasks.FIBERS, count, report),
                        line("virtual threads", BlockedTasks.VIRTUAL, count, report).notQuick(),
                        line("pool without a bound", BlockedTasks.CACHED, count, report)),
                settings, report);
    }

    private static Line line(String peer, BlockedTasks tasks, int count, Report report) {
        return Line.of("%,d × %,d ms".formatted(count, MILLIS), peer, (settings, samples) -> {
            var found = ChildJvm.run(LIMITED, SMALL, BlockedTasks.class,
                    List.of(tasks.name(), "" + count, "" + MILLIS, "0"), line -> {
                        if (BlockedTasks.memory(line).isEmpty()) {
                            report.progress(line);
                        }
                    });
            var ended = found.get("ended");
            var refused = found.get("refused");
            if (tasks == BlockedTasks.CACHED ? refused == null : ended == null || ended != count) {
                throw new AssertionError("%s: of %,d tasks %s ended, and task %s was refused".formatted(peer,
                        count, ended, refused));
            }
            samples.add(tasks == BlockedTasks.CACHED ? refused : ended);
        });
    }
}
