package io.fibry.bench;

import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.List;

/** Measures very many launches that wait for a while, of which a limited number may run at the same time. */
final class TimedLaunches implements Experiment {
    private static final int AT_ONCE = 5_000;
    /** The dispatcher gets this fraction of the launches, because it would take minutes for all of them. */
    private static final int IO_SLOWER = 10;
    /** The second table of the article has this fraction of the launches of the first. */
    private static final int SECOND_SMALLER = 10;

    @Override
    public String name() {
        return "timed-launches";
    }

    @Override
    public String what() {
        return "10,000,000 and 1,000,000 launches that wait 1 s, and 1,000,000 that block 10 ms";
    }

    @Override
    public String checks() {
        return "how many have run, and how many did at the same time";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int waiting = settings.count(10_000_000, 50_000, 1_000);
        int waits = settings.pick(1_000, 200, 10);
        int blocking = settings.count(1_000_000, 20_000, 1_000);
        int blocks = settings.pick(10, 10, 1);
        var group = "%,d that wait %,d ms".formatted(waiting, waits);
        var blockingGroup = "%,d that block %,d ms".formatted(blocking, blocks);
        if (settings.size() != Settings.Size.FULL) {
            report.note("scaled down: a full run has 10,000,000 that wait 1,000 ms");
        }
        int second = waiting / SECOND_SMALLER;
        var secondGroup = "%,d that wait %,d ms".formatted(second, waits);
        int slower = settings.pick(IO_SLOWER, 1, 1);
        if (slower > 1) {
            report.note("Kotlin on Dispatchers.IO was given %,d; that time is scaled up to %,d"
                    .formatted(waiting / slower, waiting));
        }
        new Turns(Unit.lower("ms"), 0, settings.timesEach()).run(List.of(
                of(group, Peers.FIBERS + ", limited, by a scope's scheduler", Launching.SCHEDULER, waiting,
                        waits,
                        report),
                of(group, "Kotlin, delay, limitedParallelism of Fibry's fibers", Launching.KOTLIN_FIBRY,
                        waiting,
                        waits, report).article(18_512, "10,000,000 on virtual threads"),
                of(group, "Kotlin, delay, limitedParallelism of Dispatchers.IO, extrapolated",
                        Launching.KOTLIN_IO, waiting / slower, slower, waits, report)
                        .article(184_688, "10,000,000"),
                // The article's second table. It does not say for how many launches; its first line fits a tenth of the first table's.
                of(secondGroup, Peers.FIBERS + ", limited, by a scope's scheduler", Launching.SCHEDULER,
                        second, waits,
                        report),
                of(secondGroup, "Kotlin, delay, limitedParallelism of Fibry's fibers", Launching.KOTLIN_FIBRY,
                        second,
                        waits, report).article(2_361, "on virtual threads"),
                of(secondGroup, "Kotlin, delay, limitedParallelism of Dispatchers.IO", Launching.KOTLIN_IO,
                        second,
                        waits, report).article(17_411, ""),
                of(secondGroup, "Kotlin, delay, Dispatchers.Default", Launching.KOTLIN_DEFAULT, second, waits,
                        report)
                        .article(11_708, ""),
                of(secondGroup, "Kotlin, delay, Dispatchers.Unconfined", Launching.KOTLIN_UNCONFINED, second,
                        waits,
                        report).article(1_711, ""),
                of(blockingGroup, Peers.FIBERS + ", a pool", Launching.WORKERS, blocking, blocks,
                        report),
                of(blockingGroup, "virtual threads and a semaphore", Launching.SEMAPHORE, blocking, blocks,
                        report).notQuick(),
                of(blockingGroup, "Kotlin, limitedParallelism of Fibry's fibers", Launching.KOTLIN_BLOCKING,
                        blocking, blocks, report)),
                settings, report);
    }

    private static Line of(String group, String peer, Launching how, int count, int millis, Report report) {
        return of(group, peer, how, count, 1, millis, report);
    }

    /** Returns a line whose time is multiplied by {@code times}. */
    private static Line of(String group, String peer, Launching how, int count, int times, int millis,
            Report report) {
        return Line.of(group, peer, (settings, samples) -> {
            var heap = settings.pick("-Xmx10g", "-Xmx2g", "-Xmx256m");
            var found = ChildJvm.run(List.of(heap, "-XX:+ExitOnOutOfMemoryError"), Launching.class,
                    List.of(how.name(), "" + count, "" + millis, "" + AT_ONCE), report::progress);
            if (found.get("ended") != count || found.get("most") > AT_ONCE) {
                throw new AssertionError("%s: %,.0f of %,d have run, %,.0f at once".formatted(peer,
                        found.get("ended"), count, found.get("most")));
            }
            samples.add(times * found.get("millis"));
        });
    }
}
