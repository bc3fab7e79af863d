package io.fibry.bench;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Measures the first figures of the article: many threads, and many more fibers. No thread of an actor starts before its first message, so
 * actors that each handle one message stand beside those that the article prints.
 */
final class CreateArticle implements Experiment {
    private static final int PATIENCE_SECONDS = 60;

    @Override
    public String name() {
        return "create-article";
    }

    @Override
    public String what() {
        return "makes 3,000 actors on threads and 1,000,000 on fibers, in turns, as printed and with one message each";
    }

    @Override
    public String checks() {
        return "all are made, and have handled their message, before the time ends; all have stopped before the next turn";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(5);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int threads = settings.pick(3_000, 3_000, 20);
        int fibers = settings.count(1_000_000, 1_000_000, 1_000);
        var forThreads = Line.of("%,d threads".formatted(threads), Peers.THREADS,
                measured(threads, () -> Stereotypes.threads().sink(null))).article(210, "");
        var forFibers = Line.of("%,d fibers".formatted(fibers), Peers.FIBERS,
                measured(fibers, () -> Stereotypes.fibers().sink(null))).article(1_050, "200 K in 210 ms");
        var rows = new Turns(Unit.lower("ms"), 1, settings.pick(9, 3, 1))
                .run(List.of(forThreads, forFibers,
                        withMessages("threads", Peers.THREADS, threads, CreationStrategy.threads()),
                        withMessages("fibers", Peers.FIBERS, fibers, CreationStrategy.fibers())), settings,
                        report);
        if (rows.containsKey(forThreads) && rows.containsKey(forFibers)) {
            var each = rows.get(forThreads).samples().dividedBy(rows.get(forFibers).samples());
            report.add(new Row("fibers in the time of %,d threads".formatted(threads), Peers.FIBERS,
                    Unit.higher("fibers"), each.times(fibers)).withArticle(200_000, ""));
        }
    }

    private static Line withMessages(String what, String peer, int count, CreationStrategy on) {
        return Line.of("%,d %s, a message each".formatted(count, what), peer, (settings, samples) -> {
            var left = new CountDownLatch(count);
            var actors = new ArrayList<Actor<Integer, Void>>(count);
            var start = System.nanoTime();
            for (int i = 0; i < count; i++) {
                Actor<Integer, Void> actor =
                        ActorSystem.anonymous().strategy(on).newActor(message -> left.countDown());
                actor.sendMessage(i);
                actors.add(actor);
            }
            if (!left.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(
                        "%,d of %,d messages were not handled".formatted(left.getCount(), count));
            }
            samples.add((System.nanoTime() - start) / 1e6);
            actors.forEach(Actor::askExit);
            actors.forEach(Actor::waitForExit);
        });
    }

    private static Measured measured(int count, Supplier<Actor<Object, Void>> make) {
        return (settings, samples) -> samples.add(millis(count, make));
    }

    /**
     * Returns how long it takes to make the actors. At the end of this time all of them are alive; then they are
     * stopped.
     */
    private static double millis(int count, Supplier<Actor<Object, Void>> make) {
        var actors = new ArrayList<Actor<Object, Void>>(count);
        var start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            actors.add(make.get());
        }
        var nanos = System.nanoTime() - start;
        actors.forEach(Actor::askExit);
        actors.forEach(Actor::waitForExit);
        return nanos / 1e6;
    }
}
