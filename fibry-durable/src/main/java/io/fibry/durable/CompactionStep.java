package io.fibry.durable;

import io.fibry.durable.Journal.Position;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one step of a compaction has found in a database.
 *
 * @param old the turns that are to be deleted
 * @param kept the turns of which only the outbox is kept
 * @param marked the keys whose snapshots are to be marked, since the last turn that is covered was looked at
 * @param next where the next step begins; empty if there is nothing more
 */
record CompactionStep(List<Position> old, List<Position> kept, List<String> marked, Optional<Position> next) {
    /**
     * Reads the rows of a step. A query has one row for each turn that a snapshot covers, and one for a snapshot that
     * covers none, in the order of keys and revisions. Its columns are the key; the revision or null; 2 if the turn
     * is to be deleted, 1 if only its outbox is to be kept, else 0; the size of the turn or null; and how many bytes
     * it costs to mark the snapshot, 0 if it is not to be marked.
     *
     * @param most the limit of the query
     */
    static CompactionStep read(PreparedStatement query, int most) throws SQLException {
        var old = new ArrayList<Position>();
        var kept = new ArrayList<Position>();
        var marked = new ArrayList<String>();
        Optional<String> toMark = Optional.empty();
        Optional<Position> last = Optional.empty();
        int count = 0;
        long bytes = 0;
        try (var rows = query.executeQuery()) {
            while (bytes < TurnSize.MOST_OF_TRANSACTION && rows.next()) {
                count++;
                var key = rows.getString(1);
                long cost = rows.getLong(5);
                long revision = rows.getLong(2);
                var here = rows.wasNull() ? Position.after(key) : new Position(key, revision);
                if (last.isEmpty() || !last.get().key().equals(key)) {
                    toMark.ifPresent(marked::add);
                    toMark = Optional.of(key).filter(any -> cost > 0);
                    bytes += cost;
                }
                int fate = rows.getInt(3);
                if (fate > 0) {
                    (fate == 2 ? old : kept).add(here);
                    bytes += rows.getLong(4);
                }
                last = Optional.of(here);
            }
        }
        boolean isLast = count < most && bytes < TurnSize.MOST_OF_TRANSACTION;
        if (isLast || last.filter(Position::isAfterKey).isPresent()) {
            toMark.ifPresent(marked::add);
        }
        return new CompactionStep(old, kept, marked, isLast ? Optional.empty() : last);
    }

    Journal.Step done() {
        return new Journal.Step(old.size(), next);
    }
}
