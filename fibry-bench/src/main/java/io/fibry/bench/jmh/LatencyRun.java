package io.fibry.bench.jmh;

import io.fibry.bench.jmh.Peer.Node;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long messages take while processors have work. Runs in a JVM of its own; the results are nanoseconds: the median, what 99 of 100
 * do not exceed, and the worst.
 */
public final class LatencyRun {
    private static final int CORES = Runtime.getRuntime().availableProcessors();
    private static final int COMPUTING = 8;
    private static final long COMPUTATION_NANOS = 1_000_000;
    private static final long BETWEEN_PINGS_NANOS = 1_000_000;
    private static final long LEAST_PATIENCE_MILLIS = 50;
    private static final long PATIENCE_MILLIS = 2_000;
    private static final int RECEIVERS = 1_000;
    private static final long REQUEST_NANOS = 200_000;
    private static final int MOST_SECONDS = 60;
    private static final int CALIBRATIONS = 200;
    private static final int CALIBRATED_STEPS = 100_000;
    private static volatile long sink;

    private final Peer.Home home;
    private final long steps;

    private LatencyRun(Peer peer) {
        home = peer.open();
        steps = stepsInAMilli();
    }

    /** How the processors are kept busy. */
    public enum Work {
        /** Eight in a ring compute a millisecond for each message, of which there are eight, and hand it on. */
        RING(0),
        /** Eight compute a millisecond for each message, and send it to themselves. */
        THEMSELVES(0),
        /** Requests for a thousand receivers come at half the rate that the processors could serve at most. */
        HALF(0.5),
        /** The same, at four fifths. */
        FOUR_FIFTHS(0.8),
        /** The same, at nine tenths. */
        NINE_TENTHS(0.9);

        private final double load;

        Work(double load) {
            this.load = load;
        }

        /**
         * Returns at which part of the rate that the processors could serve at most the requests come.
         *
         * @return the part; 0 for pings
         */
        public double load() {
            return load;
        }

        /** Returns whether it measures pings; otherwise it measures requests. */
        public boolean isPing() {
            return load == 0;
        }
    }

    /** Runs in the child. The arguments are the peer, the work, whether pings come from a virtual thread, and the seconds. */
    public static void main(String[] args) throws InterruptedException {
        var run = new LatencyRun(Peer.valueOf(args[0]));
        var work = Work.valueOf(args[1]);
        var seconds = Double.parseDouble(args[3]);
        long[] nanos;
        if (work.isPing()) {
            run.compute(work == Work.RING);
            nanos = run.pings(Boolean.parseBoolean(args[2]), seconds);
        } else {
            nanos = run.requests(work.load(), seconds);
        }
        Arrays.sort(nanos);
        System.out.println("@median=" + nanos[nanos.length / 2]);
        System.out.println("@p99=" + nanos[(int) (nanos.length * 0.99)]);
        System.out.println("@worst=" + nanos[nanos.length - 1]);
        Runtime.getRuntime().halt(0); // the others compute for ever
    }

    private void compute(boolean inRing) {
        var nodes = new Node[COMPUTING];
        for (int i = 0; i < COMPUTING; i++) {
            var next = inRing ? (i + 1) % COMPUTING : i;
            nodes[i] = home.start((where, message) -> {
                work(COMPUTATION_NANOS);
                nodes[next].send(message);
                return false;
            });
        }
        for (var node : nodes) {
            node.send(node);
        }
    }

    /**
     * Sends pings, one after the other, to one that has nothing else to do. The first half warms up. A virtual thread that sends
     * them may never go on beside others that compute: then the result is the time for which this one has waited for it.
     */
    private long[] pings(boolean fromVirtual, double seconds) throws InterruptedException {
        var pong = home.start((where, message) -> {
            if (message instanceof Semaphore answered) {
                answered.release();
            }
            return false;
        });
        var result = new long[1][];
        var builder = fromVirtual ? Thread.ofVirtual() : Thread.ofPlatform();
        var start = System.nanoTime();
        var pinging = builder.start(() -> {
            ping(pong, seconds);
            result[0] = ping(pong, seconds);
        });
        return pinging.join(Duration.ofMillis(PATIENCE_MILLIS + (long) (seconds * 5_000)))
                ? result[0] : new long[]{System.nanoTime() - start};
    }

    private static long[] ping(Node pong, double seconds) {
        var found = new long[(int) (seconds * 1e9 / BETWEEN_PINGS_NANOS) + 1];
        var count = 0;
        var begin = System.nanoTime();
        while (count < found.length && System.nanoTime() - begin < seconds * 1e9 || count == 0) {
            var start = System.nanoTime();
            var answered = new Semaphore(0);
            pong.send(answered);
            awaitAnswer(answered, seconds);
            found[count++] = System.nanoTime() - start;
            LockSupport.parkNanos(BETWEEN_PINGS_NANOS);
        }
        return Arrays.copyOf(found, count);
    }

    /** Waits for half of the time of the pings at most: some peers do not answer beside endless work. */
    private static void awaitAnswer(Semaphore answered, double seconds) {
        try {
            answered.tryAcquire(Math.max(LEAST_PATIENCE_MILLIS, (long) (seconds * 500)),
                    TimeUnit.MILLISECONDS);
        } catch (InterruptedException nobodyDoesThat) {
            throw new IllegalStateException(nobodyDoesThat);
        }
    }

    /** A request, with the time at which it was due: it waits from then on, also if it is sent late. */
    private record Request(int number, long due) {
    }

    private long[] requests(double load, double seconds) throws InterruptedException {
        offer(load, seconds); // warms up
        return offer(load, seconds);
    }

    private long[] offer(double load, double seconds) throws InterruptedException {
        var between = REQUEST_NANOS / (CORES * load);
        var count = Math.max(1, (int) (seconds * 1e9 / between));
        var took = new long[count];
        var served = new Semaphore(0);
        var receivers = new Node[RECEIVERS];
        for (int i = 0; i < RECEIVERS; i++) {
            receivers[i] = home.start((where, message) -> {
                if (!(message instanceof Request request)) {
                    return true;
                }
                work(REQUEST_NANOS);
                took[request.number] = System.nanoTime() - request.due;
                served.release();
                return false;
            });
        }
        var random = new SplittableRandom(1);
        var sender = Thread.ofPlatform().start(() -> {
            var start = System.nanoTime();
            for (int i = 0; i < count; i++) {
                var due = start + (long) (i * between);
                for (var left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                receivers[random.nextInt(RECEIVERS)].send(new Request(i, due));
            }
        });
        sender.join();
        if (!served.tryAcquire(count, MOST_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("not all of " + count + " requests were served");
        }
        for (var receiver : receivers) {
            receiver.send("end");
        }
        return took;
    }

    /** Works for so long, if the processor is not taken away. */
    private void work(long nanos) {
        step(steps * nanos / 1_000_000);
    }

    private static void step(long count) {
        var x = 1L;
        for (long i = 0; i < count; i++) {
            x = x * 6364136223846793005L + i;
        }
        sink = x;
    }

    private static long stepsInAMilli() {
        var best = Long.MAX_VALUE;
        for (int i = 0; i < CALIBRATIONS; i++) {
            var start = System.nanoTime();
            step(CALIBRATED_STEPS);
            best = Math.min(best, System.nanoTime() - start);
        }
        return CALIBRATED_STEPS * 1_000_000L / best;
    }
}
