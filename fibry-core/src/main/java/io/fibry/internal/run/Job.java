package io.fibry.internal.run;

import io.fibry.internal.run.Placement.Fairness;
import org.jspecify.annotations.Nullable;

/**
 * What the strategies run: one activation of an owner, which handles what waits for it. Whoever runs a job has to claim it
 * first, so a job that two have, or that was refused and is run nevertheless, runs once.
 *
 * <p>A class and not an interface, since lanes call these methods for each message and the compiler binds the calls of a
 * class that has one subclass.
 */
public abstract class Job implements Runnable {
    /** Runs on a lane, which goes on with its next job after this one. */
    public abstract void runOn(Lane lane);

    /** Makes the job lose what it was started for, since an executor has refused it. Called before it runs. */
    public abstract void refuse(Throwable why);

    /** Notes that others may run this job as well. Called before one of them can have it. */
    public abstract void markShared();

    public abstract boolean mayBeRunByOthers();

    /** Returns another job of the same owner, which is never to run. */
    public abstract Job rehearsal();

    // ---- What it is started for. ----

    /** Tells whether nobody has claimed it yet. */
    public abstract boolean isPending();

    /** Tells whether somebody may wait for the answer to what this job is started for. */
    public abstract boolean isAsked();

    /** Tells whether the job needs a thread that may be blocked: it is the rest of another one, or a body that receives. */
    public abstract boolean needsThread();

    // ---- Where it runs. Called by the thread that runs it, or by one that runs on top. ----

    /** Returns the job below it on the stack; null if there is none. */
    public abstract @Nullable Job below();

    /** Tells whether nothing but its lane is below it. */
    public abstract boolean isLowest();

    /** Tells whether it only stands for its owner while code of the owner runs outside of a job. */
    public abstract boolean isGuest();

    /** Tells whether it stands for an owner that has gone on without it. */
    public abstract boolean isGone();

    // ---- Whose it is. ----

    /** Returns the owner. Jobs of the same owner have the same object. */
    public abstract Object owner();

    public abstract String ownerName();

    /** Returns the name of the owner if it was given one; null if it is anonymous. */
    public abstract @Nullable String givenName();

    /** Returns the name of the owner if it is to be in the context of the log; null otherwise. */
    public abstract @Nullable String nameForLog();

    /** Returns the class of the owner's handler, of which there may be many objects. */
    public abstract Class<?> handlerClass();

    /** Returns how the owner lets others run. */
    public abstract Fairness fairness();
}
