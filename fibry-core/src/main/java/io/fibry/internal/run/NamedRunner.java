package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A strand whose thread has the name of an actor while that actor runs there for long, so that thread dumps can be read.
 * The thread gets the name from whoever starts it for an actor, from itself before a handler waits, or from the
 * {@link LaneNamer} when the monitor has found the same handler at two looks. It keeps the name until the turn of the
 * actor ends.
 *
 * <pre>
 *   label: null       -> Name(a)     the starter, before the thread starts
 *          null       -> Change(a)   the thread before it waits, or the namer: it becomes the writer
 *          Name(a)    -> Change(b)   the same
 *          Name(a)    -> Change()    the thread, whose turn has ended, or the namer: it becomes the writer
 *          Change(..) -> Change(..)  the thread, which wants another name, or the namer, if it is the writer: the writer
 *                                    stays the same
 *          Change(a)  -> Name(a)     the writer, which has set the name of a
 *          Change()   -> null        the writer, which has set the plain name
 * </pre>
 *
 * <p>Each step is a CAS. There is one writer at a time, and only the writer calls {@code setName} and leaves
 * {@code Change}. The other one replaces what the name is to become, and does not wait: the writer finds that by its
 * own CAS and writes again. So the name that was written last is the one that the label says.
 *
 * <p>No thread keeps the name of an actor that it does not run any more. After each turn the thread looks at the label.
 * If it sees one of another actor than the next, it replaces that. If it sees none and the namer sets one, the look came
 * before the CAS of the namer, and so did the end of the turn. The namer mostly sees that by the progress, which it reads
 * after its CAS. It may miss it, since a turn that ends pays for no fence here. Therefore the namer looks at the lane once
 * more at its next run. By then the end of the turn is visible, and the actor is not among those that run on the thread.
 *
 * <p>{@code Thread.setName} locks the thread's object. A handler may hold that lock and wait, so no thread on which
 * others depend, as the monitor's, sets the name of another one.
 */
public abstract class NamedRunner extends Runner {
    /** The name of a thread that has the name of no actor. */
    public static final String THREAD = "fibry";

    private static final VarHandle LABEL =
            FieldAccess.of(MethodHandles.lookup(), "label", Label.class);
    private static final Label PLAIN = new Change(null);

    private sealed interface Label {
    }

    /** The thread has the name of this actor. */
    private record Name(Object actor, String text) implements Label {
        static Name of(Job job) {
            return new Name(job.owner(), threadName(job));
        }
    }

    /** The thread is being given this name, or the plain one. */
    private record Change(@Nullable Name to) implements Label {
    }

    private volatile @Nullable Label label;

    NamedRunner() {
        super(null);
    }

    /** The name of a thread that runs this actor. */
    public static String threadName(Job job) {
        return THREAD + "-" + job.ownerName();
    }

    // ---- By the starter, and by the thread. ----

    /** Labels a thread that is to start with the name of this actor, and returns that name. The start publishes the label. */
    final String startNamed(Job job) {
        var name = Name.of(job);
        LABEL.set(this, (Label) name);
        return name.text;
    }

    /** Whether the thread has the name of an actor, or is being given one. */
    final boolean hasLabel() {
        return LABEL.getOpaque(this) != null;
    }

    /** Gives the thread its plain name back, unless it has the name of the actor whose turn is next. */
    final void dropName(@Nullable Runnable next) {
        var kept = next instanceof Job job ? job.owner() : null;
        var seen = label;
        while (true) {
            var actor = actorOf(seen);
            // mutant: thread-name-outlives-its-turn
            if (actor == null || actor == kept || change(seen, PLAIN)) {
                return;
            }
            seen = label;
        }
    }

    /** The turn of the upper actor has ended: its name goes with it. */
    @Override
    public final void leaveNested(Object upper) {
        var seen = label;
        // mutant: thread-name-outlives-the-upper-turn
        while (seen != null && actorOf(seen) == upper && !change(seen, PLAIN)) {
            seen = label;
        }
    }

    /** Gives the thread the name of the actor that runs here and is about to wait. */
    final void nameForWait() {
        var mine = innermost();
        var actor = mine == null ? null : mine.owner();
        if (mine == null || actorOf(label) == actor) {
            return;
        }
        Label to = new Change(Name.of(mine));
        var seen = label;
        while (actorOf(seen) != actor && !change(seen, to)) {
            seen = label;
        }
    }

    // ---- By the namer. ----

    /** Gives the thread the name of the actor whose handler has been here since this progress. */
    final void nameStuck(long progress) {
        var stuck = innermost();
        var seen = label;
        if (stuck == null || seen instanceof Change || actorOf(seen) == stuck.owner()) {
            return; // the thread knows best
        }
        Label to = new Change(Name.of(stuck));
        Interleave.here();
        if (LABEL.compareAndSet(this, seen, to)) {
            Interleave.here();
            if (progress() != progress) {
                LABEL.compareAndSet(this, to, PLAIN); // unless the thread wants yet another name
            }
            write(seen);
        }
    }

    /** Takes the name of an actor that has ended from the thread: it was given too late. */
    final void correctName() {
        var seen = label;
        if (seen instanceof Name name && !runs(name.actor)) {
            Interleave.here();
            change(seen, PLAIN);
        }
    }

    private boolean runs(Object actor) {
        for (var one = job; one != null; one = one.below()) {
            if (one.owner() == actor) {
                return true;
            }
        }
        return false;
    }

    // ---- By both. ----

    /** The job that runs here, or has just run here if another thread asks; null if there is none. */
    private @Nullable Job innermost() {
        var innermost = job;
        while (innermost != null && innermost.isGuest()) {
            innermost = innermost.below(); // a guest does not drop the name when it leaves
        }
        return innermost;
    }

    /** The actor whose name the thread has, or is to have. */
    private static @Nullable Object actorOf(@Nullable Label label) {
        var name = label instanceof Change change ? change.to : (Name) label;
        return name == null ? null : name.actor;
    }

    /** Makes this change, or has it made by the writer; false if the label is no longer the one seen. */
    private boolean change(@Nullable Label seen, Label to) {
        if (!LABEL.compareAndSet(this, seen, to)) {
            return false;
        }
        if (!(seen instanceof Change)) {
            write(seen);
        }
        return true;
    }

    /** Sets the name until it is the one that the label says. By the writer. */
    private void write(@Nullable Label before) {
        var doubtful = (Name) before;
        try {
            while (label instanceof Change change) {
                var to = change.to;
                doubtful = to == null ? doubtful : to;
                var runner = thread;
                if (runner != null) {
                    Interleave.here();
                    runner.setName(to == null ? THREAD : to.text);
                    Interleave.here();
                }
                // mutant: late-thread-name-stays
                if (LABEL.compareAndSet(this, (Label) change, (Label) to)) {
                    return;
                }
            }
        } catch (SecurityException | VirtualMachineError e) {
            // It may not, or the stack is short. Nobody is failed for a name: the next turn tries to drop it.
            label = doubtful;
        }
    }
}
