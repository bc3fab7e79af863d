package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Remembers, for each class of handlers, whether they block after they have sent. If they do, a job that they start
 * gets a thread of its own at once, until the mark of the class is used up.
 */
final class BlockingHandlers {
    /** The number of jobs that a mark lets start at once. After them, the class is given another chance. */
    static final int STARTS_AT_ONCE = 10_000;

    private final ClassValue<Mark> marks = new ClassValue<>() {
        @Override
        protected Mark computeValue(Class<?> handler) {
            return new Mark();
        }
    };
    /** Whether any class has been marked. In most programs none ever is. Set by the monitor. */
    private volatile boolean anyMarked;

    private static final class Mark {
        private static final VarHandle LEFT = FieldAccess.of(MethodHandles.lookup(), "left", int.class);

        /**
         * How many more jobs to start at once. Written by lanes, opaque: races lose a few counts, which does
         * not matter.
         */
        private int left;
    }

    /** Tells whether any class has been marked. */
    boolean isAnyMarked() {
        return anyMarked;
    }

    /** Marks a class whose handlers block. */
    void mark(Class<?> handler) {
        anyMarked = true;
        Mark.LEFT.setOpaque(marks.get(handler), STARTS_AT_ONCE);
    }

    /** Tells whether the next job that a handler of this class starts is to start at once, and counts it if so. */
    boolean startsAtOnce(Class<?> handler) {
        return anyMarked && count(marks.get(handler));
    }

    private static boolean count(Mark mark) {
        var left = (int) Mark.LEFT.getOpaque(mark);
        if (left == 0) {
            return false;
        }
        Mark.LEFT.setOpaque(mark, left - 1);
        return true;
    }
}
