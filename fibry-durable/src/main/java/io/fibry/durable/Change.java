package io.fibry.durable;

import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Turn;
import java.time.Instant;

/** What is written to a journal. */
sealed interface Change {
    /** Returns how many bytes this change adds to a transaction. */
    default long bytes() {
        return 0;
    }

    /**
     * A turn is added to the log of its key; true if it was, false if another writer has been there, or if a turn before
     * it in its sequence was not added.
     */
    record Append(Turn turn, Sequence sequence) implements Change {
        @Override
        public long bytes() {
            return TurnSize.of(turn);
        }
    }

    /** The outbox of a turn is emptied. */
    record Clear(Sent sent) implements Change {
    }

    /** Old turns of a group that snapshots cover are deleted. */
    record Compact(String group, Instant before) implements Change {
    }
}
