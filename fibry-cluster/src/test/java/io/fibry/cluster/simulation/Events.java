package io.fibry.cluster.simulation;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** What happens, in the order of its times. A seed decides all that is left to chance. */
final class Events {
    static final long MILLISECOND = 1_000_000L;

    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private final SplittableRandom random;
    private long now;
    private long count;

    private record Event(long time, long number, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            var byTime = Long.compare(time, other.time);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    Events(long seed) {
        random = new SplittableRandom(seed);
    }

    long now() {
        return now;
    }

    /** Lets something happen after a delay. */
    void after(long delay, Runnable what) {
        queue.add(new Event(now + delay, count++, what));
    }

    void at(long time, Runnable what) {
        after(Math.max(0, time - now), what);
    }

    /** Lets everything happen until a time. */
    void runUntil(long end) {
        while (!queue.isEmpty() && queue.peek().time <= end) {
            var next = queue.remove();
            now = next.time;
            next.what.run();
        }
        now = end;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** A number from zero, below the bound. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    /** A time of up to so many milliseconds. */
    long upTo(double milliseconds) {
        return (long) (random.nextDouble() * milliseconds * MILLISECOND);
    }

    long number() {
        return random.nextLong();
    }
}
