package io.fibry.internal.memory;

import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes sure that the calling thread has stack enough for what the engine is about to do there.
 *
 * <p>A user's code may be as deep in a recursion as it likes when it sends, asks or waits. If the stack overflowed between
 * two steps of which the second has to follow the first (a message is in, and its turn is to be started; a turn was claimed,
 * and is to be run; an edge was published, and is to be taken back), the other actor would be lost for ever, and it has
 * nothing to do with the recursion. No order of steps avoids that, since each call may be the one that overflows, that of
 * the method that would undo the first step too. So all of them begin with this: whatever the engine itself does until it is
 * back where it began fits into what was found to be there, or nothing was done yet and the caller's stack overflows here, in
 * the caller's own call.
 *
 * <p>What is not ours and runs in between (a handler on top, an executor, a listener, a callback) may need more. It is
 * called where all that it throws is caught, and by then the stack is as it was: the engine has its reserve again for what
 * it has to do after it. A second look, once something was taken, would be wrong: it could find too little where the first
 * has found enough, and what was taken would be left.
 *
 * <p>The stack is looked at by a call of a method whose frame is that large ({@link LargeFrame}). One look is enough for all
 * that one call of the user's does: {@code apply} looks before it sends, and not again before it waits.
 */
public final class StackReserve {
    private StackReserve() {
    }

    /**
     * Loads and initialises classes. What is first used after a look, in the middle of something, has to be loaded before:
     * that takes more than the reserve. The JDK has a class for the parking of virtual threads, which is of no use to
     * anybody any more if its initialisation overflows.
     */
    public static void load(MethodHandles.Lookup lookup, List<Class<?>> used) {
        LockSupport.unpark(Thread.ofVirtual().unstarted(() -> {
        }));
        try {
            for (var each : used) {
                lookup.ensureInitialized(each);
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError("classes of the engine", e);
        }
    }

    /** Throws a {@link StackOverflowError} if there is too little. Before anything is taken. */
    public static void require() {
        LargeFrame.enter(false);
    }
}
