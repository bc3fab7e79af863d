package io.fibry.bench.durable;

import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Virtual threads that pay into accounts, each one deposit after another.
 *
 * @param callers the number of threads
 * @param accounts the number of accounts; each deposit goes to one of them at random
 * @param warmUp for how long they deposit before the time that counts
 * @param time the time that counts
 */
public record DepositLoad(int callers, long accounts, Duration warmUp, Duration time) {
    private static final int MOST_LATENCIES = 1 << 20;

    /**
     * What has come of it.
     *
     * @param acknowledged how many deposits were acknowledged, the warm-up included
     * @param perSecond how many were acknowledged in a second of the time that counts
     * @param medianMillis how long half of them took at most
     * @param worstMillis how long 99 of 100 took at most
     */
    public record Outcome(long acknowledged, double perSecond, double medianMillis, double worstMillis) {
    }

    /**
     * Runs the load.
     *
     * @param bank the accounts
     * @return what has come of it
     * @throws Exception if a deposit has failed
     */
    public Outcome at(DurableAccounts bank) throws Exception {
        // The first one opens connections, and may load classes for a second.
        bank.deposit(0);
        var acknowledged = new AtomicLong(1);
        var from = System.nanoTime() + warmUp.toNanos();
        var end = from + time.toNanos();
        long[] latencies;
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var done = executor.invokeAll(IntStream.range(0, callers)
                    .<Callable<long[]>>mapToObj(caller -> () -> caller(caller, bank, from, end, acknowledged))
                    .toList());
            latencies = new long[0];
            for (var one : done) {
                var more = one.get();
                var all = Arrays.copyOf(latencies, latencies.length + more.length);
                System.arraycopy(more, 0, all, latencies.length, more.length);
                latencies = all;
            }
        }
        Arrays.sort(latencies);
        return new Outcome(acknowledged.get(), latencies.length / (time.toNanos() / 1e9),
                millis(latencies, 0.5),
                millis(latencies, 0.99));
    }

    private long[] caller(int number, DurableAccounts bank, long from, long end, AtomicLong acknowledged)
            throws Exception {
        var random = new SplittableRandom(number);
        var latencies = new long[1024];
        int count = 0;
        long done = 0;
        while (true) {
            long begin = System.nanoTime();
            if (begin - end >= 0) {
                break;
            }
            bank.deposit(random.nextLong(accounts));
            done++;
            long now = System.nanoTime();
            // One that takes longer than the time counts if it is the only one of its caller.
            if (begin - from >= 0 && (now - end < 0 || count == 0) && count < MOST_LATENCIES) {
                if (count == latencies.length) {
                    latencies = Arrays.copyOf(latencies, 2 * count);
                }
                latencies[count++] = now - begin;
            }
        }
        acknowledged.addAndGet(done);
        return Arrays.copyOf(latencies, count);
    }

    private static double millis(long[] sorted, double part) {
        if (sorted.length == 0) {
            throw new AssertionError("no deposit was acknowledged in the time that counts");
        }
        return sorted[(int) Math.ceil(part * sorted.length) - 1] / 1e6;
    }
}
