package io.fibry.work;

import java.util.Arrays;

/** The calls of a breaker's window, counted. It is used under the lock of its breaker. */
sealed interface WindowCounts {
    void add(boolean failed, boolean slow, long now);

    /** Forgets what has left the window. */
    void moveTo(long now);

    int calls();

    int failed();

    int slow();

    static WindowCounts of(BreakerWindow window) {
        return switch (window) {
            case BreakerWindow.Calls last -> ofCalls(last.calls());
            case BreakerWindow.Time last ->
                new OfTime(Math.max(1, Environment.nanos(last.time()) / OfTime.PARTS));
        };
    }

    static WindowCounts ofCalls(int most) {
        return new OfCalls(most);
    }

    /** A ring of the last calls, which grows with them. */
    final class OfCalls implements WindowCounts {
        private static final int FAILED = 1;
        private static final int SLOW = 2;
        private static final int FIRST_LENGTH = 64;
        private final int most;
        private byte[] ring;
        private int next;
        private int calls;
        private int failed;
        private int slow;

        OfCalls(int most) {
            this.most = most;
            ring = new byte[Math.min(most, FIRST_LENGTH)];
        }

        @Override
        public void add(boolean hasFailed, boolean wasSlow, long now) {
            if (calls == most) {
                failed -= ring[next] & FAILED;
                slow -= (ring[next] & SLOW) >> 1;
            } else {
                if (calls == ring.length) {
                    ring = Arrays.copyOf(ring, (int) Math.min(most, 2L * ring.length));
                }
                calls++;
            }
            ring[next] = (byte) ((hasFailed ? FAILED : 0) | (wasSlow ? SLOW : 0));
            failed += hasFailed ? 1 : 0;
            slow += wasSlow ? 1 : 0;
            next = next + 1 == most ? 0 : next + 1;
        }

        @Override
        public void moveTo(long now) {
            // only further calls move it
        }

        @Override
        public int calls() {
            return calls;
        }

        @Override
        public int failed() {
            return failed;
        }

        @Override
        public int slow() {
            return slow;
        }
    }

    /** Counts for each tenth of a time. */
    final class OfTime implements WindowCounts {
        static final int PARTS = 10;
        private final long partNanos;
        private final int[] calls = new int[PARTS];
        private final int[] failed = new int[PARTS];
        private final int[] slow = new int[PARTS];
        private long part = Long.MIN_VALUE;

        OfTime(long partNanos) {
            this.partNanos = partNanos;
        }

        @Override
        public void add(boolean hasFailed, boolean wasSlow, long now) {
            moveTo(now);
            var at = index(part);
            calls[at]++;
            failed[at] += hasFailed ? 1 : 0;
            slow[at] += wasSlow ? 1 : 0;
        }

        @Override
        public void moveTo(long now) {
            var present = Math.floorDiv(now, partNanos);
            if (part == Long.MIN_VALUE) {
                part = present;
            }
            for (long left = Math.min(present - part, PARTS); left > 0; left--) {
                var at = index(present - left + 1);
                calls[at] = 0;
                failed[at] = 0;
                slow[at] = 0;
            }
            part = Math.max(part, present);
        }

        private static int index(long number) {
            return (int) Math.floorMod(number, (long) PARTS);
        }

        private static int sum(int[] counts) {
            int all = 0;
            for (int each : counts) {
                all += each;
            }
            return all;
        }

        @Override
        public int calls() {
            return sum(calls);
        }

        @Override
        public int failed() {
            return sum(failed);
        }

        @Override
        public int slow() {
            return sum(slow);
        }
    }
}
