package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A runner whose thread has the name of an owner while the owner runs there for long, so that thread dumps can be read.
 * The thread gets the name from the thread that starts it for an owner; from itself, before a handler waits; or from
 * the {@link LaneNamer}, when the monitor has found the same handler at two looks. It keeps the name until the job of
 * the owner ends.
 *
 * <pre>
 *   label: null       -> Name(a)     the starter, before the thread starts
 *          null       -> Change(a)   the thread before it waits, or the namer: it becomes the writer
 *          Name(a)    -> Change(b)   the thread before it waits, or the namer: it becomes the writer
 *          Name(a)    -> Change()    the thread, when its job has ended, or the namer: it becomes the writer
 *          Change(..) -> Change(..)  the thread, which wants another name, or the namer, if it is the writer: the writer
 *                                    stays the same
 *          Change(a)  -> Name(a)     the writer, which has set the name of a
 *          Change()   -> null        the writer, which has set the plain name
 * </pre>
 *
 * <p>Each transition is a CAS. There is one writer at a time, and only the writer calls {@code setName} and leaves
 * {@code Change}. The other thread replaces what the name is to become, and does not wait: the writer finds that by its
 * own CAS and writes again. So the name that was written last is the one that the label contains.
 *
 * <p>No thread keeps the name of an owner that it does not run any more. After each job the thread reads the label. If
 * it sees the label of an owner other than that of the next job, it replaces the label. If it sees none and the namer
 * sets one, the read came before the CAS of the namer, and so did the end of the job. The namer usually sees that by
 * the progress, which it reads after its CAS. It may miss it, since a job that ends does not pay for a fence here.
 * Therefore the namer checks the lane once more in its next run. By then the end of the job is visible, and the owner
 * is not among those that run on the thread.
 *
 * <p>{@code Thread.setName} locks the thread's object. A handler may hold that lock and wait, so a thread on which
 * others depend, such as the monitor's, must not set the name of another thread.
 */
public abstract class NamedRunner extends Runner {
    /** The name of a thread that has the name of no owner. */
    public static final String THREAD = "fibry";

    private static final VarHandle LABEL =
            FieldAccess.of(MethodHandles.lookup(), "label", Label.class);
    private static final Label PLAIN = new Change(null);

    private sealed interface Label {
    }

    /** The thread has the name of this owner. */
    private record Name(Object owner, String text) implements Label {
        static Name of(Job job) {
            return new Name(job.owner(), threadName(job));
        }
    }

    /** The thread is being given this name, or the plain one if the name is null. */
    private record Change(@Nullable Name to) implements Label {
    }

    /**
     * The name of the thread as it was set last. Written by the thread that starts it; then by its thread and
     * the namer, by CAS.
     */
    private volatile @Nullable Label label;

    NamedRunner() {
        super(null);
    }

    /** Returns the name of a thread that runs this job. */
    public static String threadName(Job job) {
        return THREAD + "-" + job.ownerName();
    }

    // ---- Called by the starter, and by the thread. ----

    /**
     * Labels a thread that is to start with the name of this job's owner, and returns that name. The start of the
     * thread publishes the label.
     */
    final String startNamed(Job job) {
        var name = Name.of(job);
        LABEL.set(this, (Label) name);
        return name.text;
    }

    /** Tells whether the thread has the name of an owner, or is being given one. */
    final boolean hasLabel() {
        return LABEL.getOpaque(this) != null;
    }

    /** Gives the thread its plain name back, unless it has the name of the owner of the next job. */
    final void dropName(@Nullable Runnable next) {
        var kept = next instanceof Job job ? job.owner() : null;
        var seen = label;
        while (true) {
            var owner = ownerOf(seen);
            // mutant: thread-name-outlives-its-turn
            if (owner == null || owner == kept || change(seen, PLAIN)) {
                return;
            }
            seen = label;
        }
    }

    /** Takes the name of an owner whose nested job has ended from the thread. */
    @Override
    public final void leaveNested(Object upper) {
        var seen = label;
        // mutant: thread-name-outlives-the-upper-turn
        while (seen != null && ownerOf(seen) == upper && !change(seen, PLAIN)) {
            seen = label;
        }
    }

    /** Gives the thread the name of the owner that runs here and is about to wait. */
    final void nameForWait() {
        var current = innermost();
        var owner = current == null ? null : current.owner();
        if (current == null || ownerOf(label) == owner) {
            return;
        }
        Label to = new Change(Name.of(current));
        var seen = label;
        while (ownerOf(seen) != owner && !change(seen, to)) {
            seen = label;
        }
    }

    // ---- Called by the namer. ----

    /** Gives the thread the name of the owner whose handler has run here since this progress. */
    final void nameStuck(long progress) {
        var stuck = innermost();
        var seen = label;
        if (stuck == null || seen instanceof Change || ownerOf(seen) == stuck.owner()) {
            return; // the thread has a name, or is changing it
        }
        Label to = new Change(Name.of(stuck));
        assert Interleave.here();
        if (LABEL.compareAndSet(this, seen, to)) {
            assert Interleave.here();
            if (progress() != progress) {
                LABEL.compareAndSet(this, to, PLAIN); // unless the thread wants yet another name
            }
            write(seen);
        }
    }

    /** Takes the name of an owner that does not run here any more from the thread: it was set too late. */
    final void correctName() {
        var seen = label;
        if (seen instanceof Name name && !runs(name.owner)) {
            assert Interleave.here();
            change(seen, PLAIN);
        }
    }

    private boolean runs(Object owner) {
        for (var one = job; one != null; one = one.below()) {
            if (one.owner() == owner) {
                return true;
            }
        }
        return false;
    }

    // ---- Called by both. ----

    /**
     * Returns the job that runs here; if another thread calls this, it may be one that has just run here. Returns null
     * if there is none.
     */
    private @Nullable Job innermost() {
        var innermost = job;
        while (innermost != null && innermost.isGuest()) {
            innermost = innermost.below(); // the name is not dropped when a guest leaves
        }
        return innermost;
    }

    /** Returns the owner whose name the thread has, or is to have; null if there is none. */
    private static @Nullable Object ownerOf(@Nullable Label label) {
        var name = label instanceof Change change ? change.to : (Name) label;
        return name == null ? null : name.owner;
    }

    /** Makes this change, or leaves it to the writer; returns false if the label is no longer the one seen. */
    private boolean change(@Nullable Label seen, Label to) {
        if (!LABEL.compareAndSet(this, seen, to)) {
            return false;
        }
        if (!(seen instanceof Change)) {
            write(seen);
        }
        return true;
    }

    /** Sets the name until it is the one that the label contains. Called by the writer. */
    private void write(@Nullable Label before) {
        var doubtful = (Name) before;
        try {
            while (label instanceof Change change) {
                var to = change.to;
                doubtful = to == null ? doubtful : to;
                var runner = thread;
                if (runner != null) {
                    assert Interleave.here();
                    runner.setName(to == null ? THREAD : to.text);
                    assert Interleave.here();
                }
                // mutant: late-thread-name-stays
                if (LABEL.compareAndSet(this, (Label) change, (Label) to)) {
                    return;
                }
            }
        } catch (SecurityException | VirtualMachineError e) {
            // The thread may not be renamed, or there is too little stack or memory. No job fails because of a name:
            // when the next job ends, the thread tries again to drop it.
            label = doubtful;
        }
    }
}
