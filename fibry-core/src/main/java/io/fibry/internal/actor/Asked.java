package io.fibry.internal.actor;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.memory.Interleave;
import org.jspecify.annotations.Nullable;

/**
 * A node with an answer. Whoever ends the wait for it, by cancelling it or because the time is over, lets go of what the
 * node holds at once: only the empty node stays in the mailbox. So what it holds may be gone at any moment; each
 * reader reads it once and takes nothing for "nobody wants it any more", which it is, since the answer was completed
 * before.
 */
abstract class Asked extends Node {
    private final @Nullable Cell cell;
    private @Nullable Answer<@Nullable Object> answer;

    /** A node for the actor that the answer waits for. */
    Asked(@Nullable Answer<@Nullable Object> answer) {
        this.answer = answer;
        if (answer == null) {
            cell = null;
        } else {
            cell = answer.target();
        }
    }

    /**
     * Tells the answer where it is taken back. By the maker, when the node is complete; if nobody waits for it any more by
     * then, the maker lets go of what it holds.
     */
    final void attachAnswer() {
        var mine = answer;
        if (mine != null) {
            mine.attachTo(this);
            if (mine.isOver()) {
                clear();
            }
        }
    }

    /**
     * As {@link #attachAnswer}, but in the place of a node that may be taken back at this moment: who does that sees this
     * one, or is seen here.
     */
    final void takeOver() {
        var mine = answer;
        if (mine != null) {
            mine.moveTo(this);
            Interleave.here();
            if (mine.isOver()) {
                clear();
            }
        }
    }

    /** Whether there is, or was, an answer. */
    final boolean isAsked() {
        return cell != null;
    }

    /** The actor it was sent to; only if it is asked. */
    final Cell cell() {
        if (cell == null) {
            throw new AssertionError("a node that nobody waits for knows no actor");
        }
        return cell;
    }

    /** Null if there is none, or nobody waits for it any more. */
    final @Nullable Answer<@Nullable Object> answer() {
        return answer;
    }

    /** The handler is done, and its answer about to be given. */
    void settles() {
    }

    /** The answer is complete, and not by the handler: what is queued gives back what it holds. By any thread. */
    final void takeBack() {
        clear();
        cell().tookBack();
    }

    @Override
    void lost(Cell mailbox, Object content, Cause cause, @Nullable Throwable why) {
        settles();
        var mine = answer;
        if (mine != null) {
            // mutant: ask-of-a-stopped-actor-is-not-answered
            mine.fail(Losses.exception(mailbox, content, cause, why));
        }
    }

    @Override
    public void clear() {
        answer = null;
    }
}
