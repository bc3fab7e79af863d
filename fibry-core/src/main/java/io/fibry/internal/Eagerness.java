package io.fibry.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What is known about the handlers of one class: whether they block after they have sent. If so, what they
 * send to starts at once on a thread of its own, until the mark has faded.
 */
final class Eagerness {
    /** After so many turns that were started at once, the class is given another chance. */
    static final int LASTS = 10_000;

    private static final ClassValue<Eagerness> OF = new ClassValue<>() {
        @Override
        protected Eagerness computeValue(Class<?> handler) {
            return new Eagerness();
        }
    };
    private static final VarHandle LEFT;
    /** Whether a class has ever been marked: in most programs none is. */
    private static volatile boolean anyMarked;

    static {
        try {
            LEFT = MethodHandles.lookup().findVarHandle(Eagerness.class, "left", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How many more turns to start at once. Races lose a few counts, which does not matter. */
    private int left;

    static Eagerness of(Class<?> handler) {
        return OF.get(handler);
    }

    void mark() {
        anyMarked = true;
        LEFT.setOpaque(this, LASTS);
    }

    /** Whether what a handler of this kind sends to next is to be started at once. */
    static boolean startsAtOnce(Behavior behavior) {
        return anyMarked && of(behavior.handlerClass()).startsAtOnce();
    }

    /** Whether the next turn is to be started at once. */
    boolean startsAtOnce() {
        var seen = (int) LEFT.getOpaque(this);
        if (seen == 0) {
            return false;
        }
        LEFT.setOpaque(this, seen - 1);
        return true;
    }
}
