package io.fibry.durable;

import io.fibry.durable.Journal.Turn;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * The turns of one actor that its store is writing, in their order. If one of them is not written, those behind it are not
 * written either. The turns of the actor use it, one after another; the store's writer uses {@link #isBroken} and {@link
 * #markBroken} alone.
 *
 * <p>The writer writes one group of turns after another. It marks a sequence as broken when a turn of it was not written, or
 * when it is not known whether it was, and it does so before it forms the next group. It leaves out the turns of broken
 * sequences. Of the turns within one group the {@link Journal} leaves out those behind a fenced one. So the log of a key
 * never has a turn that was made on a state that the log does not have.
 */
final class Sequence {
    /** The number of turns that may be under way. */
    static final int MOST = 1_024;
    private static final CompletableFuture<Boolean> NOTHING = CompletableFuture.completedFuture(true);

    private volatile boolean broken;

    private final Deque<Part> parts = new ArrayDeque<>();
    /** Completes when all turns so far are written, and fails with the failure of the first one that was not. */
    private CompletableFuture<Boolean> last = NOTHING;

    private record Part(Turn turn, CompletableFuture<Boolean> done) {
    }

    /** Tells whether a turn was not written. Called by any thread. */
    boolean isBroken() {
        return broken;
    }

    /** Notes that a turn was not written. Called by any thread. */
    void markBroken() {
        broken = true;
    }

    /**
     * Adds a turn that the store has.
     *
     * @param turn the turn
     * @param written whether it was written, once this is known
     * @param fenced what the turn and those behind it fail with if it was not
     */
    void add(Turn turn, CompletableFuture<Boolean> written, Supplier<FencedException> fenced) {
        // Completes when both have: once the last turn is done, the writer has none of this sequence.
        last = last.thenCombine(written, (before, isWritten) -> {
            if (!isWritten) {
                throw fenced.get();
            }
            return true;
        });
        forgetDone();
        parts.add(new Part(turn, last));
    }

    private void forgetDone() {
        while (!parts.isEmpty() && parts.getFirst().done.isDone()
                && !parts.getFirst().done.isCompletedExceptionally()) {
            parts.removeFirst();
        }
    }

    /** Tells whether it is not known of all turns that they are durable. */
    boolean isUnderWay() {
        return !last.isDone() || last.isCompletedExceptionally();
    }

    boolean hasFailed() {
        return last.isCompletedExceptionally();
    }

    /** Returns a future that completes when all turns so far are durable. */
    CompletableFuture<Boolean> last() {
        return last;
    }

    boolean isFull() {
        forgetDone();
        return parts.size() >= MOST;
    }

    /** Returns the turns of which it is not known that they are durable. */
    List<Turn> uncertain() {
        forgetDone();
        return parts.stream().map(Part::turn).toList();
    }

    /** Waits until all turns so far are durable. */
    void await() throws InterruptedException {
        try {
            last.get();
        } catch (ExecutionException e) {
            throw failure(e.getCause() == null ? e : e.getCause());
        }
    }

    /** Returns what an actor throws if a turn was not written for this reason. */
    static RuntimeException failure(Throwable cause) {
        return cause instanceof FencedException fenced ? fenced : GroupWork.failure("commit", cause);
    }
}
