package io.fibry.internal.supervise;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.actor.Stopping;
import io.fibry.internal.actor.WaitGraph;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.SharedDeadline;
import io.fibry.internal.memory.Interleave;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The children of one actor. A child is listed, then its maker looks whether the parent has begun to end; the parent first
 * says that it has, by its {@linkplain ExtendedState#hasClosed phase}, then looks whether there is a list, and at it. So one
 * that comes too late is not made, or is stopped by the parent; also if it would have been the first.
 */
public final class Children {
    private static final Comparator<Map.Entry<Cell, Long>> YOUNGEST_FIRST =
            Map.Entry.comparingByValue(Comparator.reverseOrder());

    private final Map<Cell, Long> numbers = new ConcurrentHashMap<>();
    private final AtomicLong made = new AtomicLong();

    /** Lists a child; false if the parent has begun to end. */
    boolean add(Cell child, Cell parent) {
        numbers.put(child, made.getAndIncrement());
        Interleave.here();
        // mutant: child-is-made-too-late
        return !parent.hasClosed();
    }

    void remove(Cell child) {
        numbers.remove(child);
    }

    boolean isEmpty() {
        return numbers.isEmpty();
    }

    /** How many there have been so far. */
    long made() {
        return made.get();
    }

    /** Stops those that were made after so many, the youngest first. On the parent's turn. */
    void stopSince(Cell parent, long before) {
        numbers.entrySet().stream().filter(child -> child.getValue() >= before)
                .sorted(YOUNGEST_FIRST).forEach(child -> stop(parent, child.getKey()));
    }

    /**
     * Stops all, the youngest first, each when the one before has stopped. On the parent's turn, which waits. What they
     * have queued is handled first if the parent's own end came after what it had queued. One that takes too long is
     * interrupted, as are all if the parent is.
     */
    void stopAll(Cell parent, @Nullable Reason reason) {
        var deadline = deadline(parent);
        var hurries = reason == Reason.FORCED;
        for (var child : youngestFirst()) {
            // mutant: child-is-told-to-end-before-it-is-forced
            if (!hurries) {
                if (reason == Reason.POISON_PILL) {
                    child.sendPoisonPill();
                } else {
                    child.askExit();
                }
                hurries = !endsInTime(parent, child, deadline);
            }
            forceIfLeft(parent, child);
            numbers.remove(child); // if no interrupt reaches it, nobody waits for it any more
        }
    }

    private static SharedDeadline deadline(Cell parent) {
        var scope = parent.spec().scope();
        return new SharedDeadline(scope.time(), Durations.nanos(scope.closeTimeout(), "timeout"));
    }

    /** Stops one after its current message, on the parent's turn. */
    void stop(Cell parent, Cell child) {
        child.askExit();
        endsInTime(parent, child, deadline(parent));
        forceIfLeft(parent, child);
    }

    /** Whoever closes the scope may have forced it already: its exit hooks are not interrupted for that once more. */
    private static void forceIfLeft(Cell parent, Cell child) {
        if (!child.extendedState().forced) {
            Stopping.stopAtOnce(child, Reason.EXIT);
        }
        Stopping.awaitUninterrupted(child, parent.spec().scope().time(), Stopping.MAX_GRACE_NANOS);
    }

    private List<Cell> youngestFirst() {
        return numbers.entrySet().stream()
                .sorted(YOUNGEST_FIRST)
                .map(Map.Entry::getKey).toList();
    }

    /** Waits for a child; false if the parent itself is to hurry. */
    private static boolean endsInTime(Cell parent, Cell child, SharedDeadline deadline) {
        var mine = parent.extendedState();
        var before = mine.waiting;
        var edge = new EndOf(child);
        mine.waiting = edge;
        try {
            if (WaitGraph.cycle(edge).isPresent()) {
                return true; // it waits for an answer of ours: only an interrupt ends that, and only its own
            }
            Stopping.awaitExit(child, deadline.nanosLeft());
            return true;
        } catch (InterruptedException e) {
            return false;
        } finally {
            mine.waiting = before;
        }
    }

    /** The parent goes no further until this child has ended. */
    private record EndOf(Cell target) implements Waiting {
        @Override
        public boolean isOver() {
            return target.extendedState().exited.isOpen();
        }
    }
}
