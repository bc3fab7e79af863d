package io.fibry.durable;

import io.fibry.durable.Journal.Turn;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one actor that its store is writing, in their order. If one of them is not written, those behind it are not
 * written either. The turns of the actor use it, one after another; the thread that holds the store's lock for writing uses
 * {@link #takes} and {@link #markBroken} alone.
 *
 * <p>The writer writes one group of turns after another, and takes a turn only if it has taken the one before. So a
 * turn that never came to the writer, since its wait was over, ends the sequence. The writer also marks a sequence as
 * broken when a turn of it was not written, or when it is not known whether it was, and does so before it forms the
 * next group. Of the turns within one group the {@link Journal} leaves out those behind a fenced one. So the log of a
 * key never has a turn that was made on a state that the log does not have.
 */
final class Sequence {
    /** The number of turns that may be under way. */
    static final int MOST = 1_024;
    private static final CompletableFuture<Boolean> NOTHING = CompletableFuture.completedFuture(true);

    private static final long BROKEN = -1;

    /** The revision of the next turn that the writer takes, or {@link #BROKEN}. Used by the writer, under the store's lock. */
    private long next;

    /** The turns of which it is not known that they are durable; null if there is none. */
    private @Nullable Deque<Part> parts;

    /**
     * @param done completes when the turn and those before it are written, and fails with the failure of the first one that was
     *     not
     */
    private record Part(Turn turn, CompletableFuture<Boolean> done) {
    }

    /** @param newest the revision before the first turn */
    Sequence(long newest) {
        next = newest + 1;
    }

    /** Tells the writer whether to write a turn. It is not written if one before was not. */
    boolean takes(Turn turn) {
        // mutant: turn-behind-a-dropped-one-is-written
        if (turn.revision() != next) {
            markBroken();
            return false;
        }
        next++;
        return true;
    }

    /** Notes that a turn was not written, or may not have been. */
    void markBroken() {
        next = BROKEN;
    }

    /**
     * Adds a turn that the store has.
     *
     * @param turn the turn
     * @param written has whether it was written, once this is known
     * @param fenced what the turn and those behind it fail with if it was not
     */
    void add(Turn turn, CompletableFuture<?> written, Supplier<FencedException> fenced) {
        // Completes when both have: once the last turn is done, the writer has none of this sequence, unless it has
        // not answered within the limit.
        var done = last().thenCombine(written, (before, isWritten) -> {
            if (!isWritten.equals(true)) {
                throw fenced.get();
            }
            return true;
        });
        forgetDone();
        if (parts == null) {
            parts = new ArrayDeque<>(1);
        }
        parts.add(new Part(turn, done));
    }

    private void forgetDone() {
        while (parts != null && parts.getFirst().done.isDone()
                && !parts.getFirst().done.isCompletedExceptionally()) {
            parts.removeFirst();
            if (parts.isEmpty()) {
                parts = null;
            }
        }
    }

    /** Tells whether some turns may not be durable yet. */
    boolean isUnderWay() {
        forgetDone();
        return parts != null;
    }

    /**
     * Tells whether a turn was not written, or it cannot be known whether it was. The writer may still have turns behind it.
     */
    boolean hasFailed() {
        forgetDone();
        return parts != null && parts.getFirst().done.isCompletedExceptionally();
    }

    /** Returns a future that completes when all turns so far are durable. */
    CompletableFuture<Boolean> last() {
        return parts == null ? NOTHING : parts.getLast().done;
    }

    boolean isFull() {
        forgetDone();
        return parts != null && parts.size() >= MOST;
    }

    /** Returns the turns of which the actor does not know that they are durable. */
    List<Turn> underWay() {
        return parts == null ? List.of() : parts.stream().map(Part::turn).toList();
    }

    /** Tells whether all turns so far are durable. */
    boolean isWritten() {
        return last().isDone() && !last().isCompletedExceptionally();
    }

    /** Tells whether the last turn was not written, since another writer had taken its revision or that of one before. */
    boolean isFenced() {
        return last().isCompletedExceptionally() && last().exceptionNow() instanceof FencedException;
    }

    /** Waits until all turns so far are durable. */
    void await() throws InterruptedException {
        try {
            last().get();
            forgetDone(); // an actor that rests keeps none of its turns in memory
        } catch (ExecutionException e) {
            throw failure(e.getCause() == null ? e : e.getCause());
        }
    }

    /** Returns what an actor throws if a turn was not written for this reason. */
    static RuntimeException failure(Throwable cause) {
        return cause instanceof FencedException fenced ? fenced : GroupWork.failure("commit", cause);
    }
}
