package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.Spinning;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a lane that has answered a virtual thread, which is no actor's, stays for a moment to be asked again. If there is
 * a processor to spare, that is cheaper than a fresh lane for each ask. A thread has one post, and may share it with others.
 *
 * <pre>
 *   call: null -> FREE    a lane that has nothing left to do, if no other one is here
 *         FREE -> turn    a thread that asks, in the place of a start
 *         FREE -> null    the lane that is here, after a moment: it ends
 *         turn -> null    the same lane by the same step: it runs the turn
 * </pre>
 *
 * <p>Each is one atomic step. The lane that has made the post free is the only one that makes it null again, and that tells
 * it what was left. It does not let go of its carrier meanwhile: what is left to it is not left to a thread that waits.
 */
public final class AskRendezvous {
    private static final Object FREE = new Object();
    private static final VarHandle CALL = FieldAccess.of(MethodHandles.lookup(), "call", Object.class);

    /** For the next ask. By lanes. */
    private final Spinning forCall = new Spinning();
    /** For the answer. By threads that ask. */
    private final Spinning forAnswer = new Spinning();
    private final BooleanSupplier isCalled = this::isCalled;
    private volatile @Nullable Object call;

    /** An empty post. While a post is free nothing may need memory, so what is done then is done once before. */
    AskRendezvous() {
        forCall.spin(isCalled);
        leave();
    }

    private boolean isCalled() {
        return call != FREE;
    }

    /** Leaves a turn to the lane that is here; false if there is none. */
    boolean takes(Job turn) {
        Interleave.here();
        // mutant: lane-that-stays-is-not-found, two-turns-are-left-to-one-lane
        return call == FREE && CALL.compareAndSet(this, FREE, turn);
    }

    /** What is left here within a moment, or null. By a lane that has nothing else to do. */
    @Nullable Job await() {
        // mutant: lane-takes-the-place-of-another
        if (call != null || !forCall.takeChance() || !CALL.compareAndSet(this, null, FREE)) {
            return null;
        }
        Interleave.here();
        forCall.spin(isCalled);
        Interleave.here();
        var left = leave();
        forCall.recordResult(left != null);
        return left;
    }

    private @Nullable Job leave() {
        // mutant: lane-leaves-without-a-look
        return CALL.getAndSet(this, null) instanceof Job turn ? turn : null;
    }

    /** Waits for an answer for a moment. By the thread that asks. */
    void await(Future<?> answer) {
        if (forAnswer.takeChance()) {
            forAnswer.recordResult(forAnswer.spin(answer::isDone));
        }
    }
}
