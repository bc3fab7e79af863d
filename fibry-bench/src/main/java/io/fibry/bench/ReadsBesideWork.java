package io.fibry.bench;

import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** Measures how much is computed while files are read, when both share the processors. */
final class ReadsBesideWork implements Experiment {
    private static final int CORES = Runtime.getRuntime().availableProcessors();
    private static final int AT_ONCE = 32;
    private static final List<Share> SHARES = List.of(new Share("3/4", 24, 497, 584),
            new Share("1/2", 16, 1_522, 1_652), new Share("1/4", 8, 4_958, 4_960),
            new Share("1/8", 4, 11_381, 11_495));

    /** How many of the tasks at once are reads, and how much was computed meanwhile in the article. */
    private record Share(String name, int reads, double blocking, double coroutines) {
    }

    /** Where reads and where computations run, and the figure of the article. */
    private record Who(String peer, Executor reads, Executor work, String article) {
        double says(Share share) {
            return switch (article) {
                case "blocking" -> share.blocking;
                case "coroutines" -> share.coroutines;
                default -> 0;
            };
        }
    }

    @Override
    public String name() {
        return "reads-beside-work";
    }

    @Override
    public String what() {
        return "how much is computed while 400 reads of files run; 3/4 to 1/8 of the tasks at once are reads";
    }

    @Override
    public String checks() {
        return "the checksum of each read and of each computation, and how many reads there were";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        try (var files = new ReadFiles();
                var threads = Executors.newFixedThreadPool(CORES);
                var virtual = Executors.newVirtualThreadPerTaskExecutor()) {
            var pool = CreationStrategy.pool(CORES);
            report.note(files.how());
            var all = List.of(
                    new Who(Peers.FIBERS + ", work on pool(%d)".formatted(CORES),
                            workers(CreationStrategy.fibers()), workers(pool), "coroutines"),
                    new Who("pool of %d threads".formatted(CORES), threads, threads, "blocking"),
                    new Who("virtual threads", virtual, virtual, ""),
                    new Who("Kotlin, Dispatchers.IO and Default", Coroutines.io(), Coroutines.cpu(),
                            "coroutines"));
            for (int i = 0; i < SHARES.size(); i++) {
                measure(SHARES.get(i), all, files, settings.forOneOf(SHARES.size() - i), report);
            }
        }
    }

    private static Executor workers(CreationStrategy strategy) {
        return Stereotypes.on(strategy).<Runnable>workers(Runnable::run)::sendMessage;
    }

    private static void measure(Share share, List<Who> all, ReadFiles files, Settings settings,
            Report report) throws Exception {
        int reads = settings.pick(400, 400, 40);
        var lines = new ArrayList<Line>();
        var millis = new ArrayList<Samples>();
        for (var who : all) {
            var took = new Samples();
            millis.add(took);
            lines.add(Line.of(share.name + " reads", who.peer, (own, samples) -> {
                var start = System.nanoTime();
                samples.add(new ReadMix(files, who.reads, who.work, reads).run(share.reads, AT_ONCE));
                took.add((System.nanoTime() - start) / 1e6);
            }).article(who.says(share), who.article));
        }
        var rows =
                new Turns(Unit.higher("computed"), settings.pick(3, 0, 0), settings.pick(11, 3, 1)).run(lines,
                        settings, report);
        for (int i = 0; i < lines.size(); i++) {
            if (rows.containsKey(lines.get(i))) {
                report.note("%s, %d reads took %,.0f ms".formatted(lines.get(i).subject(), reads,
                        millis.get(i).median()));
            }
        }
    }
}
