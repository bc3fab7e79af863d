package io.fibry.internal.supervise;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.SharedDeadline;
import io.fibry.internal.handle.Stopping;
import io.fibry.internal.memory.Interleave;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The children of one actor. The maker of a child first lists it and then checks whether the parent has begun to
 * end. The parent first sets its {@linkplain ExtendedState#isStopping phase}, then checks whether there is a list,
 * and then reads the list. So a child that comes too late is not made, or the parent stops it, even if it is the
 * first child.
 */
public final class Children {
    private static final Comparator<Map.Entry<Cell, Long>> YOUNGEST_FIRST =
            Map.Entry.comparingByValue(Comparator.reverseOrder());

    /** A maker lists the child and then reads the parent's phase; the parent sets its phase and then reads this. */
    private final Map<Cell, Long> numbers = new ConcurrentHashMap<>();
    private final AtomicLong made = new AtomicLong();

    /** Lists a child; returns false if the parent has begun to end. */
    boolean add(Cell child, Cell parent) {
        numbers.put(child, made.getAndIncrement());
        assert Interleave.here();
        // mutant: child-is-made-too-late
        return !parent.isStopping();
    }

    void remove(Cell child) {
        numbers.remove(child);
    }

    /** Returns whether all children have exited. A child that has exited removes itself a moment later. */
    boolean isEmpty() {
        for (var child : numbers.keySet()) { // no lambda: this code may run near the end of a stack
            if (!child.hasExited()) {
                return false;
            }
        }
        return true;
    }

    /** Returns how many children are listed. */
    int size() {
        return numbers.size();
    }

    /** Returns the number of children that have been listed so far. */
    long made() {
        return made.get();
    }

    /** Stops the children whose number is {@code before} or higher, the youngest first. Called by the parent's turn. */
    void stopSince(Cell parent, long before) {
        for (var child : youngestFirst(before)) {
            stop(parent, child);
        }
    }

    /**
     * Stops all children, the youngest first, each when the previous one has stopped. Called by the parent's turn,
     * which waits. The children first handle what they have queued if a poison pill ended the parent. A child that
     * takes too long is interrupted. If the parent is interrupted, all remaining children are.
     */
    void stopAll(Cell parent, @Nullable Reason reason) {
        var deadline = deadline(parent);
        var hurries = reason == Reason.FORCED;
        for (var child : youngestFirst(0)) {
            // mutant: child-is-told-to-end-before-it-is-forced
            if (!hurries) {
                if (reason == Reason.POISON_PILL) {
                    child.sendPoisonPill();
                } else {
                    child.askExit();
                }
                hurries = !endsInTime(parent, child, deadline);
            }
            forceIfLeft(child);
            numbers.remove(child); // if no interrupt reaches it, no thread waits for it any more
        }
    }

    private static SharedDeadline deadline(Cell parent) {
        var scope = parent.spec().scope();
        return new SharedDeadline(scope.time(), Durations.nanos(scope.closeTimeout(), "timeout"));
    }

    /** Stops a child after its current message. Called by the parent's turn. */
    void stop(Cell parent, Cell child) {
        child.askExit();
        endsInTime(parent, child, deadline(parent));
        forceIfLeft(child);
    }

    /**
     * Stops a child by force if it was not forced before. The closer of the scope may have forced it already, and
     * its exit hooks must not be interrupted again.
     */
    private static void forceIfLeft(Cell child) {
        if (!child.extendedState().forced) {
            Stopping.stopAtOnce(child, Reason.EXIT);
        }
        Stopping.awaitForced(child, Stopping.grace());
    }

    /** Returns the children whose number is {@code least} or higher. */
    private List<Cell> youngestFirst(long least) {
        var entries = new ArrayList<Map.Entry<Cell, Long>>();
        for (var child : numbers.entrySet()) {
            if (child.getValue() >= least) {
                entries.add(child);
            }
        }
        entries.sort(YOUNGEST_FIRST);
        var children = new ArrayList<Cell>(entries.size());
        for (var child : entries) {
            children.add(child.getKey());
        }
        return children;
    }

    /** Waits for the end of a child; returns false if the parent was interrupted. */
    private static boolean endsInTime(Cell parent, Cell child, SharedDeadline deadline) {
        try {
            Stopping.awaitChild(parent, child, deadline.nanosLeft());
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }
}
