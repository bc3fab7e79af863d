package io.fibry.durable;

import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Turn;

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

    /** The tries of a reminder that have failed are kept. */
    record Postpone(Reminder reminder) implements Change {
        @Override
        public long bytes() {
            return reminder.message().length;
        }
    }

    /** Something else is done. It may take a while, so no turn is written with it: no answer waits for its end, and it fails no turn. */
    record Alone(DurableStore.Access<?> access) implements Change {
        /** More than all turns of a transaction have. */
        @Override
        public long bytes() {
            return TurnSize.MOST_OF_TRANSACTION + 1;
        }
    }
}
