package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A place where a lane waits for a moment for the next ask of the thread that it has just answered. That thread is
 * virtual and has no runner. If a processor is idle, this is cheaper than a fresh lane for each ask. Each thread has one
 * rendezvous, which it may share with other threads.
 *
 * <pre>
 *   state: null -> FREE    a lane that has nothing left to do, if no other lane waits here
 *          FREE -> job     a thread that asks, instead of starting a lane
 *          FREE -> null    the lane that waits here, after a moment: it ends
 *          job  -> null    the same lane, by the same step: it runs the job
 * </pre>
 *
 * <p>Each transition is one atomic step. Only the lane that has set {@code FREE} sets null again, and the exchange by
 * which it does so returns the job that was left, if any. The lane keeps its carrier meanwhile, so a job that is left
 * here is left to a thread that is running.
 */
public final class AskRendezvous {
    private static final Object FREE = new Object();
    private static final VarHandle STATE = FieldAccess.of(MethodHandles.lookup(), "state", Object.class);

    /** Spins for the next job. Used by lanes. */
    private final Spinning jobSpin = new Spinning();
    /** Spins for the answer. Used by threads that ask. */
    private final Spinning answerSpin = new Spinning();
    private final BooleanSupplier isNotFree = this::isNotFree;
    /** Written by a lane when it comes and goes, and by askers, by CAS or an exchange. */
    private volatile @Nullable Object state;

    /**
     * Creates a rendezvous without a lane. No step may need memory while the state is {@code FREE}, so the constructor
     * runs once what is run then.
     */
    AskRendezvous() {
        jobSpin.spin(isNotFree);
        leave();
    }

    private boolean isNotFree() {
        return state != FREE;
    }

    /** Leaves a job to the lane that waits here; returns false if there is none. */
    boolean offer(Job job) {
        assert Interleave.here();
        // mutant: lane-that-stays-is-not-found, two-turns-are-left-to-one-lane
        return state == FREE && STATE.compareAndSet(this, FREE, job);
    }

    /**
     * Waits for a moment; returns the job that was left here, or null. Called by a lane that has nothing else to do.
     */
    @Nullable Job await() {
        // mutant: lane-takes-the-place-of-another
        if (state != null || !jobSpin.takeChance() || !STATE.compareAndSet(this, null, FREE)) {
            return null;
        }
        assert Interleave.here();
        jobSpin.spin(isNotFree);
        assert Interleave.here();
        var job = leave();
        jobSpin.recordResult(job != null);
        return job;
    }

    private @Nullable Job leave() {
        // mutant: lane-leaves-without-a-look
        return STATE.getAndSet(this, null) instanceof Job job ? job : null;
    }

    private record Done(Future<?> answer) implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return answer.isDone();
        }
    }

    /** Waits for an answer for a moment. Called by the thread that asks. */
    void await(Future<?> answer) {
        if (answerSpin.takeChance()) {
            answerSpin.recordResult(answerSpin.spin(new Done(answer)));
        }
    }
}
