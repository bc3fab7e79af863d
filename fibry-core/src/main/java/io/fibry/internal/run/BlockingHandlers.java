package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What is known about the handlers of each class: whether they block after they have sent. If so, what they
 * send to starts at once on a thread of its own, until the mark has faded.
 */
final class BlockingHandlers {
    /** After so many turns that were started at once, the class is given another chance. */
    static final int LASTS = 10_000;

    private final ClassValue<Mark> marks = new ClassValue<>() {
        @Override
        protected Mark computeValue(Class<?> handler) {
            return new Mark();
        }
    };
    /** Whether a class has ever been marked: in most programs none is. */
    private volatile boolean anyMarked;

    private static final class Mark {
        private static final VarHandle LEFT = FieldAccess.of(MethodHandles.lookup(), "left", int.class);

        /** How many more turns to start at once. Races lose a few counts, which does not matter. */
        private int left;
    }

    /** Tells whether a class has ever been marked. */
    boolean isAnyMarked() {
        return anyMarked;
    }

    /** Handlers of this class block. */
    void mark(Class<?> handler) {
        anyMarked = true;
        Mark.LEFT.setOpaque(marks.get(handler), LASTS);
    }

    /** Whether what a handler of this kind sends to next is to be started at once. */
    boolean startsAtOnce(Class<?> handler) {
        return anyMarked && counts(marks.get(handler));
    }

    private static boolean counts(Mark mark) {
        var left = (int) Mark.LEFT.getOpaque(mark);
        if (left == 0) {
            return false;
        }
        Mark.LEFT.setOpaque(mark, left - 1);
        return true;
    }
}
