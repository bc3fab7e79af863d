package io.fibry.internal.actor;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A node with an answer. A thread that ends the wait for the answer, by cancelling it or because its time is
 * over, drops what the node holds at once: only the empty node stays in the mailbox. What a node holds may
 * therefore be gone at any moment. Each reader reads it once, and treats null as "the node is over", which is
 * true, since the answer was completed before.
 */
abstract class Asked extends Node {
    static final VarHandle ANSWER = FieldAccess.of(MethodHandles.lookup(), "answer", Answer.class);

    private final @Nullable Cell cell;
    /** Written by the sender before the link; cleared by the consumer (release) or by a thread that ends the wait. */
    @Nullable Answer<@Nullable Object> answer;

    /** Makes a node for the actor that the answer waits for. */
    Asked(@Nullable Answer<@Nullable Object> answer) {
        this.answer = answer;
        if (answer == null) {
            cell = null;
        } else {
            cell = answer.target();
        }
    }

    /**
     * As {@link Answer#attachTo}, for a node that replaces another one which may be taken back at this moment.
     * The thread that takes it back sees this node, or its completion of the answer is seen here.
     */
    final void takeOver() {
        var mine = answer;
        if (mine != null) {
            mine.moveTo(this);
            assert Interleave.here();
            if (mine.isOver()) {
                clear();
            }
        }
    }

    /** Returns whether there is, or was, an answer. */
    final boolean isAsked() {
        return cell != null;
    }

    /** Returns the actor that the node was sent to. Only for a node that is asked. */
    final Cell cell() {
        if (cell == null) {
            throw new AssertionError("a node that nobody waits for knows no actor");
        }
        return cell;
    }

    /** Returns the answer; null if there is none, or if the node is over. */
    final @Nullable Answer<@Nullable Object> answer() {
        return answer;
    }

    /**
     * Gives back the places that the message holds, if any. The handler is done, and its answer is about to
     * be given.
     */
    void giveBackPlaces() {
    }

    /** Drops what this node holds. The answer was completed, and not by the handler. Called by any thread. */
    final void takeBack() {
        clear();
        if (nextAcquire() instanceof ChunkIndex chunk) {
            chunk.replace(this);
        }
        cell().tookBack();
    }

    @Override
    void lost(Cell mailbox, Object content, Cause cause, @Nullable Throwable why) {
        giveBackPlaces();
        var mine = answer;
        if (mine != null) {
            // mutant: ask-of-a-stopped-actor-is-not-answered
            mine.lose(mailbox,
                    AskFailures.lost(mailbox, this, Losses.exception(mailbox, content, cause, why)));
        }
    }

    @Override
    public void clear() {
        answer = null;
    }
}
