package io.fibry.internal.memory;

import java.lang.invoke.MethodHandles;
import java.util.List;

/**
 * Ensures that the calling thread has enough stack for what the engine is about to do on it.
 *
 * <p>Code of a user may be arbitrarily deep in a recursion when it sends, asks or waits. Suppose that the stack
 * overflowed between two steps of which the second has to follow the first: a message was queued and its turn is to be
 * started; a turn was claimed and is to run; an edge of the wait graph was published and is to be taken back. The other
 * actor would then be lost for ever, although it has nothing to do with the recursion. No order of the steps avoids
 * this, since each call may be the one that overflows, including the call of a method that would undo the first step.
 * Therefore each such sequence begins with {@link #require}. Either all that the engine itself does until it returns
 * fits into the stack that was found, or nothing has been done yet and the stack overflows here, in the caller's own
 * call.
 *
 * <p>Code that runs in between and does not belong to the engine (a handler on top, an executor, a listener, a
 * callback) may need more. It is called where everything that it throws is caught. By then the stack is as it was, so
 * the engine has its reserve again for the steps that follow. A second check, once something was taken, would be wrong:
 * it could find too little where the first one has found enough, and what was taken would be left behind.
 *
 * <p>The check is a call of a method with a frame of that size ({@link LargeFrame}). One check covers all that one call
 * of a user does: {@code apply} checks before it sends, and does not check again before it waits.
 */
public final class StackReserve {
    private StackReserve() {
    }

    /**
     * Loads and initialises classes. A class that is first used after a check, in the middle of a sequence of steps,
     * has to be loaded before, since loading takes more than the reserve.
     */
    public static void load(MethodHandles.Lookup lookup, List<Class<?>> used) {
        try {
            for (var each : used) {
                lookup.ensureInitialized(each);
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError("classes of the engine", e);
        }
    }

    /** Throws a {@link StackOverflowError} if less than the reserve is left. Called before anything is taken. */
    public static void require() {
        LargeFrame.enter(false);
    }
}
