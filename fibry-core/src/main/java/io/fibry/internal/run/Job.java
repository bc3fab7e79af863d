package io.fibry.internal.run;

import org.jspecify.annotations.Nullable;

/**
 * One activation of an owner, which handles what waits for the owner. This is what strategies run. A thread that runs a
 * job has to claim it first. So a job that two threads have runs once, and so does one that an executor has refused and
 * runs nevertheless.
 *
 * <p>This is a class and not an interface, since lanes call these methods for each message and the compiler binds calls
 * of a class that has one subclass.
 */
public abstract class Job implements Runnable {
    /** Runs this job on a lane, which goes on with its next job after this one. */
    public abstract void runOn(Lane lane);

    /**
     * Makes this job report what it was started for as lost, since an executor has refused the job. Called before the
     * job runs.
     */
    public abstract void refuse(Throwable why);

    /** Marks this job as shared: other threads may run it as well. Called before one of them can have it. */
    public abstract void markShared();

    public abstract boolean mayBeRunByOthers();

    /** Returns another job of the same owner, which is never to run. */
    public abstract Job rehearsal();

    // ---- What the job is started for. ----

    /** Tells whether no thread has claimed this job yet. */
    public abstract boolean isPending();

    /** Tells whether a thread may be waiting for the answer to what this job is started for. */
    public abstract boolean isAsked();

    /**
     * Tells whether this job needs a thread that may be blocked: it is the rest of another job, or runs a body that
     * receives.
     */
    public abstract boolean needsThread();

    // ---- Where the job runs. Called by the thread that runs it, or by a job on top of it. ----

    /** Returns the job below this one on the stack; null if there is none. */
    public abstract @Nullable Job below();

    /** Tells whether no other job is below this one on the stack. */
    public abstract boolean isLowest();

    /** Tells whether this job only represents its owner while code of the owner runs outside of a job. */
    public abstract boolean isGuest();

    /** Tells whether the owner of this job has gone on without it. */
    public abstract boolean isGone();

    // ---- The owner. ----

    /** Returns the owner. All jobs of one owner return the same object. */
    public abstract Object owner();

    public abstract String ownerName();

    /** Returns the name that the owner was given; null if the owner is anonymous. */
    public abstract @Nullable String givenName();

    /** Returns the name of the owner if the diagnostic context of the log is to contain it; null otherwise. */
    public abstract @Nullable String nameForLog();

    /** Returns the class of the owner's handler. Many owners may have handlers of the same class. */
    public abstract Class<?> handlerClass();

    /** Returns how a job of the owner gives its carrier away; null if it runs on threads that need not do so. */
    public abstract @Nullable Handoff handoff();
}
