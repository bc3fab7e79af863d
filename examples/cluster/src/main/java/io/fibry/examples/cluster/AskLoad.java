package io.fibry.examples.cluster;

import io.fibry.Recipient;
import io.fibry.cluster.UncertainException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Deposits of one cent each, one after the other by a few callers. It knows of each account the most that was acknowledged to this node:
 * an answer with less would be money that was lost.
 */
final class AskLoad implements AutoCloseable {
    private static final int CALLERS = 4;
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final double MILLIS = 1e6;

    /**
     * What has become of the asks so far.
     *
     * @param isOn whether the callers ask
     * @param acknowledged how many were answered
     * @param uncertain how many may have been handled, or not
     * @param refused how many were certainly not handled, or failed, or took too long
     * @param lost how many answers had less money than was acknowledged before
     * @param recent the times in milliseconds of those that were answered since the last question, in order
     */
    record Figures(boolean isOn, long acknowledged, long uncertain, long refused, long lost,
            List<Double> recent) {
    }

    private final Recipient<BankCommand, Balance> accounts;
    private final int count;
    private final AtomicLongArray most;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong uncertain = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final ConcurrentLinkedQueue<Double> times = new ConcurrentLinkedQueue<>();
    /** Whether the newest callers may go on. */
    private final AtomicReference<AtomicBoolean> isOn = new AtomicReference<>(new AtomicBoolean());

    AskLoad(Recipient<BankCommand, Balance> accounts, int count) {
        this.accounts = accounts;
        this.count = count;
        most = new AtomicLongArray(count);
    }

    /** Begins or ends to ask. */
    void turn(boolean on) {
        var before = isOn.get();
        var mayGoOn = new AtomicBoolean(true);
        if (!on) {
            before.set(false);
        } else if (!before.get() && isOn.compareAndSet(before, mayGoOn)) {
            for (int caller = 0; caller < CALLERS; caller++) {
                Thread.ofVirtual().name("caller").start(() -> call(mayGoOn));
            }
        }
    }

    private void call(AtomicBoolean mayGoOn) {
        try {
            while (mayGoOn.get()) {
                deposit(ThreadLocalRandom.current().nextInt(count));
                Thread.sleep(PAUSE);
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    private void deposit(int account) throws InterruptedException {
        var known = most.get(account);
        var begin = System.nanoTime();
        try {
            var balance = accounts.ask(new BankCommand.Deposit(account, 1), LIMIT).get();
            times.add((System.nanoTime() - begin) / MILLIS);
            acknowledged.incrementAndGet();
            most.accumulateAndGet(account, balance.cents(), Math::max);
            if (balance.cents() <= known) {
                lost.incrementAndGet();
            }
        } catch (ExecutionException failed) {
            (failed.getCause() instanceof UncertainException ? uncertain : refused).incrementAndGet();
            Thread.sleep(PAUSE.multipliedBy(20));
        }
    }

    /** Returns the figures, and begins to collect times anew. Called by one thread at a time. */
    Figures figures() {
        var recent = new ArrayList<Double>();
        for (var each = times.poll(); each != null; each = times.poll()) {
            recent.add(each);
        }
        recent.sort(null);
        return new Figures(isOn.get().get(), acknowledged.get(), uncertain.get(), refused.get(), lost.get(),
                recent);
    }

    @Override
    public void close() {
        turn(false);
    }
}
