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
 * Customers who come whether other customers were served or not. More and more of them come in the first half of the time, then
 * as many for a quarter of it, and few again in the end.
 */
final class Load {
    private static final int TICKS = 20; // in a second
    private static final int CALM = 20;
    private static final int ITEMS = 100;
    /** A customer who has waited for this long has left. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private enum End {
        SERVED, REFUSED, FAILED
    }

    private final Shop shop;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Long> served = new ArrayList<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private int refused;
    private int failed;

    /**
     * What became of the orders that ended in one second. Those that were refused have cost nothing; those that have failed were
     * given up, or were served when their customers had left. The times are those of the orders that were served in time.
     */
    record Sample(int served, int refused, int failed, int waiting, long medianMillis, long slowestMillis) {
        String json() {
            return """
                    {"served":%d,"refused":%d,"failed":%d,"waiting":%d,"median":%d,"slowest":%d}"""
                    .formatted(served, refused, failed, waiting, medianMillis, slowestMillis);
        }
    }

    /** One second of all shops. */
    record Second(int number, int offered, Sample blocking, Sample semaphore, Sample actors) {
        String json() {
            return """
                    {"second":%d,"offered":%d,"blocking":%s,"semaphore":%s,"actors":%s}"""
                    .formatted(number, offered, blocking.json(), semaphore.json(), actors.json());
        }
    }

    private Load(Shop shop) {
        this.shop = shop;
    }

    /** Returns how many customers come in a second. */
    static int rate(int second, int seconds, int top) {
        int rising = Math.max(1, seconds / 2);
        int busy = Math.max(1, seconds * 3 / 4);
        if (second < rising) {
            return CALM + (top - CALM) * second / rising;
        }
        return second < busy ? top : CALM;
    }

    /** Sends the same customers to all shops, and reports the result of each second. */
    static void run(Shop blocking, Shop semaphore, Shop actors, int seconds, int top, Consumer<Second> each)
            throws InterruptedException {
        var toBlocking = new Load(blocking);
        var toSemaphore = new Load(semaphore);
        var toActors = new Load(actors);
        long start = System.nanoTime();
        for (int second = 0; second < seconds; second++) {
            int rate = rate(second, seconds, top);
            for (int tick = 0; tick < TICKS; tick++) {
                for (int i = rate * tick / TICKS; i < rate * (tick + 1) / TICKS; i++) {
                    toBlocking.come();
                    toSemaphore.come();
                    toActors.come();
                }
                long next =
                        start + TimeUnit.SECONDS.toNanos(second) + TimeUnit.SECONDS.toNanos(tick + 1) / TICKS;
                TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
            }
            each.accept(new Second(second, rate, toBlocking.sample(), toSemaphore.sample(),
                    toActors.sample()));
        }
    }

    private void come() {
        Thread.startVirtualThread(() -> {
            waiting.incrementAndGet();
            long start = System.nanoTime();
            var end = End.SERVED;
            try {
                shop.handle(new Order(ThreadLocalRandom.current().nextInt(ITEMS)));
            } catch (RefusedException e) {
                end = End.REFUSED;
            } catch (Exception notServed) {
                end = End.FAILED;
            }
            waiting.decrementAndGet();
            count(end, System.nanoTime() - start);
        });
    }

    private void count(End end, long nanos) {
        lock.lock();
        try {
            if (end == End.REFUSED) {
                refused++;
            } else if (end == End.SERVED && nanos <= PATIENCE_NANOS) {
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
            var sample = new Sample(times.length, refused, failed, waiting.get(),
                    times.length == 0 ? 0 : times[times.length / 2],
                    times.length == 0 ? 0 : times[times.length - 1]);
            served.clear();
            refused = 0;
            failed = 0;
            return sample;
        } finally {
            lock.unlock();
        }
    }
}
