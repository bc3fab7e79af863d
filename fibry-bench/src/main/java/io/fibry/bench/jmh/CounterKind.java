package io.fibry.bench.jmh;

import java.util.function.Supplier;

/** What a handler counts its messages with. */
public enum CounterKind {
    /** One number, as users have it: what the collector puts beside it is chance. */
    PLAIN(Plain::new, false),
    /**
     * One number with room on both sides. So what lies beside it, for example a mailbox to which other processors write
     * all the time, is neither in its cache line nor in the next one.
     */
    PADDED(Padded::new, false),
    /** Two numbers, made just before and just after the actor. */
    AROUND(Plain::new, true),
    /** The same, with room on both sides of each. */
    PADDED_AROUND(Padded::new, true);

    private final Supplier<Count> count;
    private final boolean isAround;

    CounterKind(Supplier<Count> count, boolean isAround) {
        this.count = count;
        this.isAround = isAround;
    }

    /** Makes what is made before the actor. */
    Count before() {
        return isAround ? new Around(count.get()) : count.get();
    }

    /** Makes what is made after the actor. */
    private Count made() {
        return count.get();
    }

    /** Counts messages. Called by the handler, except where another thread looks when nothing is on its way. */
    abstract static class Count {
        abstract void expect(int messages);

        /** Counts a message; returns whether it is the last one. */
        abstract boolean isLast();

        abstract int seen();

        /** Makes what is made after the actor. */
        void after(CounterKind kind) {
        }
    }

    private static final class Plain extends Count {
        private int seen;
        private int expected;

        @Override
        void expect(int messages) {
            seen = 0;
            expected = messages;
        }

        @Override
        boolean isLast() {
            return ++seen == expected;
        }

        @Override
        int seen() {
            return seen;
        }
    }

    private static final class Around extends Count {
        private final Count before;
        private Count after;

        Around(Count before) {
            this.before = before;
            after = before;
        }

        @Override
        void after(CounterKind kind) {
            after = kind.made();
        }

        @Override
        void expect(int messages) {
            before.expect(messages);
            after.expect(messages);
        }

        @Override
        boolean isLast() {
            return before.isLast() & after.isLast();
        }

        @Override
        int seen() {
            return after.seen();
        }
    }

    @SuppressWarnings("unused")
    private abstract static class RoomBefore extends Count {
        int a0; // otherwise the count would be in the gap behind the header
        long a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16;
    }

    private abstract static class Counted extends RoomBefore {
        int seen;
        int expected;
    }

    @SuppressWarnings("unused")
    private abstract static class RoomAfter extends Counted {
        long b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16;
    }

    private static final class Padded extends RoomAfter {
        @Override
        void expect(int messages) {
            seen = 0;
            expected = messages;
        }

        @Override
        boolean isLast() {
            return ++seen == expected;
        }

        @Override
        int seen() {
            return seen;
        }
    }
}
