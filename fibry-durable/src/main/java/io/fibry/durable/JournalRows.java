package io.fibry.durable;

import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Tries;
import io.fibry.durable.Journal.Turn;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Reads turns and reminders from the rows of a database. */
final class JournalRows {
    /** The columns of a turn. */
    static final String TURN = "actor, rev, at, events, outbox";
    /** The columns of a reminder. */
    static final String REMINDER = "actor, name, at, every, message, failed, next, reason";
    /** The keys of a group. Both halves are read in the order of their index, so a page reads little more than its keys. */
    static final String KEYS =
            """
                    SELECT actor FROM fibry_snapshots s WHERE grp = ? AND actor > ? AND actor >= ? AND actor < ? AND (length(state) > 0
                        OR EXISTS(SELECT 1 FROM fibry_turns t WHERE t.grp = s.grp AND t.actor = s.actor AND t.rev > s.rev))
                    UNION ALL SELECT actor FROM fibry_turns t WHERE grp = ? AND actor > ? AND actor >= ? AND actor < ? AND rev = 1 AND at >= 0
                        AND NOT EXISTS(SELECT 1 FROM fibry_snapshots s WHERE s.grp = t.grp AND s.actor = t.actor)""";
    /** The last character that there is, in the order of bytes. */
    static final String LAST = "\udbff\udfff";

    private JournalRows() {
    }

    /** Reads turns. The columns begin with those of {@link #TURN}. */
    static Sql.Row<Turn> turns(String group) {
        return rows -> turn(new Id(group, rows.getString(1)), rows, 2);
    }

    /** Reads reminders. The columns are those of {@link #REMINDER}. */
    static Sql.Row<Reminder> reminders(String group) {
        return rows -> new Reminder(new Id(group, rows.getString(1)), rows.getString(2),
                Instant.ofEpochMilli(rows.getLong(3)), rows.getString(4), bytes(rows, 5),
                new Tries(rows.getInt(6), Instant.ofEpochMilli(rows.getLong(7)), rows.getString(8)));
    }

    /** Returns the turn of a row: columns for its revision, time, events and outbox. */
    static Turn turn(Id id, ResultSet rows, int first) throws SQLException {
        long at = rows.getLong(first + 1);
        // It is below zero if only the outbox is kept.
        return new Turn(id, rows.getLong(first), Instant.ofEpochMilli(at < 0 ? -1 - at : at),
                bytes(rows, first + 2), List.of(), bytesIfAny(rows, first + 3),
                List.of(), Set.of(), Optional.empty(), false);
    }

    /** Returns what is kept of a message: columns for at, answer, and the group, key and revision of the turn that has sent it. */
    static Handled handled(UUID id, ResultSet rows, int first) throws SQLException {
        var group = rows.getString(first + 2);
        return new Handled(id, Instant.ofEpochMilli(rows.getLong(first)), group == null
                ? Optional.empty()
                : Optional.of(new Sent(new Id(group, rows.getString(first + 3)), rows.getLong(first + 4))),
                bytes(rows, first + 1));
    }

    /** Returns the bytes of a column that is never null, unless the file is damaged. */
    static byte[] bytes(ResultSet rows, int column) throws SQLException {
        var bytes = rows.getBytes(column);
        if (bytes == null && rows.wasNull()) {
            throw new SQLException("the store is damaged: a row of it has lost its "
                    + rows.getMetaData().getColumnName(column) + "; restore a backup");
        }
        return bytes == null ? Frames.NONE : bytes;
    }

    private static byte[] bytesIfAny(ResultSet rows, int column) throws SQLException {
        var bytes = rows.getBytes(column);
        return bytes == null ? Frames.NONE : bytes;
    }
}
