package io.fibry.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The gates of the slices of a group, through which senders of this node go to the actors of a slice themselves while it is at home here.
 *
 * <pre>
 *   gates[slice]:  CLOSED     -> 0            the actor of the member opens the slice
 *                  n >= 0     -> n + 1        a sender goes in
 *                  n + 1      -> n            a sender is out, whether the gate is open or closed
 *                  n >= 0     -> CLOSED + n   the actor of the member closes the slice: no sender goes in from here on
 * </pre>
 *
 * <p>The number is {@code CLOSED} exactly once after the slice is closed, and stays so until it is opened: the thread that brings it there, the
 * last sender or the actor of the member, completes the future of the end, which was written before. The slice is not opened again before that.
 *
 * <p>What a sender has put into a mailbox is there before the future is complete, so an end that begins then comes after it.
 */
final class SliceGates {
    private static final int CLOSED = Integer.MIN_VALUE;

    /** Raised by senders, by CAS; see the class. */
    private final AtomicIntegerArray gates;
    /**
     * Of each slice, the last end; complete when no sender is inside. An element is written before its gate is
     * closed, so the last sender reads the future of this end.
     */
    private final AtomicReferenceArray<CompletableFuture<Void>> ends;

    SliceGates(int slices) {
        gates = new AtomicIntegerArray(slices);
        ends = new AtomicReferenceArray<>(slices);
        for (int slice = 0; slice < slices; slice++) {
            gates.set(slice, CLOSED);
            ends.set(slice, CompletableFuture.completedFuture(null));
        }
    }

    /** Goes in; returns false if the gate is closed. */
    boolean enter(int slice) {
        while (true) {
            var inside = gates.get(slice);
            if (inside < 0) {
                return false;
            }
            if (gates.compareAndSet(slice, inside, inside + 1)) {
                return true;
            }
        }
    }

    void leave(int slice) {
        if (gates.decrementAndGet(slice) == CLOSED) {
            ends.get(slice).complete(null);
        }
    }

    /** Opens the gate of a slice, which is closed and has no sender inside. Called by the actor of the member. */
    void open(int slice) {
        gates.set(slice, 0);
    }

    /** Closes an open gate; the future completes when no sender is inside. Called by the actor of the member. */
    CompletableFuture<Void> close(int slice) {
        if (gates.get(slice) < 0) {
            return ends.get(slice);
        }
        var end = new CompletableFuture<Void>();
        ends.set(slice, end);
        if (gates.getAndAdd(slice, CLOSED) == 0) {
            end.complete(null);
        }
        return end;
    }
}
