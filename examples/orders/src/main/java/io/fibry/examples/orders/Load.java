package io.fibry.examples.orders;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Customers who come whether other customers were served or not. More and more of them come, and few again in the end.
 */
final class Load {
    private static final int TICKS = 20; // in a second
    private static final int CALM = 20;
    private static final int ITEMS = 100;
    /** A customer who has waited for this long has left. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Shop shop;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Long> served = new ArrayList<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private int failed;

    /**
     * What became of the orders that ended in one second. The times are those of the orders that were served in time.
     */
    record Sample(int served, int failed, int waiting, long medianMillis, long slowestMillis) {
        String json() {
            return """
                    {"served":%d,"failed":%d,"waiting":%d,"median":%d,"slowest":%d}"""
                    .formatted(served, failed, waiting, medianMillis, slowestMillis);
        }
    }

    /** One second of both shops. */
    record Second(int number, int offered, Sample blocking, Sample actors) {
        String json() {
            return """
                    {"second":%d,"offered":%d,"blocking":%s,"actors":%s}"""
                    .formatted(number, offered, blocking.json(), actors.json());
        }
    }

    private Load(Shop shop) {
        this.shop = shop;
    }

    /** Returns how many customers come in a second: more and more for three quarters of the time, then few. */
    static int rate(int second, int seconds, int top) {
        int rising = Math.max(1, seconds * 3 / 4);
        return second < rising ? CALM + (top - CALM) * second / Math.max(1, rising - 1) : CALM;
    }

    /** Sends the same customers to both shops, and reports the result of each second. */
    static void run(Shop blocking, Shop actors, int seconds, int top, Consumer<Second> each)
            throws InterruptedException {
        var toBlocking = new Load(blocking);
        var toActors = new Load(actors);
        long start = System.nanoTime();
        for (int second = 0; second < seconds; second++) {
            int rate = rate(second, seconds, top);
            for (int tick = 0; tick < TICKS; tick++) {
                for (int i = rate * tick / TICKS; i < rate * (tick + 1) / TICKS; i++) {
                    toBlocking.come();
                    toActors.come();
                }
                long next =
                        start + TimeUnit.SECONDS.toNanos(second) + TimeUnit.SECONDS.toNanos(tick + 1) / TICKS;
                TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
            }
            each.accept(new Second(second, rate, toBlocking.sample(), toActors.sample()));
        }
    }

    private void come() {
        Thread.startVirtualThread(() -> {
            waiting.incrementAndGet();
            long start = System.nanoTime();
            boolean done;
            try {
                shop.handle(new Order(ThreadLocalRandom.current().nextInt(ITEMS)));
                done = true;
            } catch (Exception notServed) {
                done = false;
            }
            waiting.decrementAndGet();
            count(done, System.nanoTime() - start);
        });
    }

    private void count(boolean done, long nanos) {
        lock.lock();
        try {
            if (done && nanos <= PATIENCE_NANOS) {
                served.add(nanos);
            } else {
                failed++;
            }
        } finally {
            lock.unlock();
        }
    }

    private Sample sample() {
        lock.lock();
        try {
            var times = served.stream().mapToLong(TimeUnit.NANOSECONDS::toMillis).toArray();
            Arrays.sort(times);
            var sample = new Sample(times.length, failed, waiting.get(),
                    times.length == 0 ? 0 : times[times.length / 2],
                    times.length == 0 ? 0 : times[times.length - 1]);
            served.clear();
            failed = 0;
            return sample;
        } finally {
            lock.unlock();
        }
    }
}
