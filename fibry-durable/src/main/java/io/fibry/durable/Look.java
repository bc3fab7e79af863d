package io.fibry.durable;

import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Message;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Slices;
import java.time.Instant;

/** What is read from a journal. */
sealed interface Look {
    /** The log of a key: {@code Optional<Loaded>}. */
    record Log(Id id) implements Look {
    }

    /** The turns of a key that the store still has: {@code List<Turn>}. */
    record Past(Id id, long after, int most) implements Look {
    }

    /** The newest revision of a key: {@code Long}, 0 if there is none. */
    record Newest(Id id) implements Look {
    }

    /** What is kept of a message that a key has handled: {@code Optional<Handled>}. */
    record OfMessage(Message message) implements Look {
    }

    /** The turns of a group whose messages have not been sent, behind a place: {@code List<Turn>}. */
    record Unsent(String group, Slices slices, Position after, int most) implements Look {
    }

    /** The reminders of a group that are to be sent: {@code List<Reminder>}. */
    record Due(String group, Slices slices, Instant until, int most) implements Look {
    }

    /** A reminder of a key: {@code Optional<Reminder>}. */
    record OfName(Id id, String name) implements Look {
    }
}
