package io.fibry.bench;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Many handlers that block, against as many bare virtual threads that do. */
final class Sleepers implements Experiment {
    @Override
    public String name() {
        return "sleepers";
    }

    @Override
    public String what() {
        return "100,000 handlers that sleep 100 ms, against as many bare virtual threads, in turns";
    }

    @Override
    public void run(Settings settings, Report report) throws InterruptedException {
        int count = settings.count(100_000, 100_000, 500);
        long sleepMillis = settings.pick(100, 100, 1);
        int rounds = settings.pick(11, 5, 1);
        var fibers = new Samples();
        var bare = new Samples();
        for (int round = 0; round <= rounds; round++) {
            var fibersFirst = round % 2 == 0;
            var before = fibersFirst ? 0 : millis(count, sleepMillis, Sleepers::startBare);
            var fibersMillis = millis(count, sleepMillis, Sleepers::startActor);
            var bareMillis = fibersFirst ? millis(count, sleepMillis, Sleepers::startBare) : before;
            if (round > 0) { // the first one warms up
                fibers.add(fibersMillis);
                bare.add(bareMillis);
            }
        }
        var ratios = IntStream.range(0, rounds)
                .mapToDouble(i -> fibers.values().get(i) / bare.values().get(i)).toArray();
        var who = "%,d x %d ms, ".formatted(count, sleepMillis);
        report.add(new Row(name(), who + "actors on fibers", "ms", fibers, "", ""));
        report.add(new Row(name(), who + "bare virtual threads", "ms", bare, "", ""));
        report.add(new Row(name(), "fibers / bare", "ratio", Samples.of(ratios), "<= 1.2", ""));
    }

    private interface Start {
        void start(Sleep sleep);
    }

    private record Sleep(long millis, CountDownLatch done) {
        void sleep() {
            try {
                Thread.sleep(millis);
                done.countDown();
            } catch (InterruptedException nobodyDoesThat) {
                throw new IllegalStateException(nobodyDoesThat);
            }
        }
    }

    private static void startActor(Sleep sleep) {
        ActorSystem.anonymous().strategy(CreationStrategy.fibers()).newActor(Sleep::sleep).sendMessage(sleep);
    }

    private static void startBare(Sleep sleep) {
        Thread.startVirtualThread(sleep::sleep);
    }

    private static double millis(int count, long sleepMillis, Start starter) throws InterruptedException {
        var sleep = new Sleep(sleepMillis, new CountDownLatch(count));
        System.gc(); // what the other one left behind is not this one's
        var start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            starter.start(sleep);
        }
        if (!sleep.done.await(5, TimeUnit.MINUTES)) {
            throw new AssertionError(sleep.done.getCount() + " of " + count + " did not wake up");
        }
        return (System.nanoTime() - start) / 1e6;
    }
}
