package io.fibry.durable;

import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Turn;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * Adds turns to their logs in PostgreSQL. The turns of a commit are one statement. Their bytes are one parameter, cut by
 * arrays of lengths, since the driver sends arrays of bytes as text. Each turn comes with the revision that its key had before
 * the commit. It is written if that is the newest one that the statement sees; that row is not deleted meanwhile. The primary
 * key fences those that another process has written since. Turns that are fenced are left out, and the others are written.
 */
final class PostgresTurns {
    static final String INSERT =
            """
                    INSERT INTO fibry_turns(id, grp, actor, rev, at, events, outbox, slot)
                    SELECT p.base + b.n, b.grp, b.actor, b.rev, b.at, substring(p.bytes FROM b.start + 1 FOR b.events),
                        CASE WHEN b.outbox > 0 THEN substring(p.bytes FROM b.start + b.events + 1 FOR b.outbox) END,
                        CASE WHEN b.outbox > 0 THEN b.slot END
                    FROM (SELECT (pg_current_xact_id()::text::bigint + ? << %d) AS base, ?::bytea AS bytes) p,
                        unnest(?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::int[], ?::int[])
                            WITH ORDINALITY AS b(grp, actor, rev, before, at, start, events, outbox, slot, n)
                    WHERE b.before = greatest(0, (SELECT max(t.rev) FROM fibry_turns t WHERE t.grp = b.grp AND t.actor = b.actor),
                        (SELECT s.rev FROM fibry_snapshots s WHERE s.grp = b.grp AND s.actor = b.actor))
                    ORDER BY b.grp, b.actor, b.rev
                    ON CONFLICT DO NOTHING RETURNING id"""
                    .formatted(SqlFollower.BITS_OF_TURN);

    /** Adds a turn alone, which is quicker: the revision before it must be there, and no snapshot of its own or a later one. */
    static final String INSERT_ONE =
            """
                    INSERT INTO fibry_turns(id, grp, actor, rev, at, events, outbox, slot)
                    SELECT (pg_current_xact_id()::text::bigint + ? << %d) + 1, b.grp, b.actor, b.rev, ?, ?, ?, ? FROM (SELECT ?::int AS grp, ?::text AS actor, ?::bigint AS rev) b
                        LEFT JOIN fibry_snapshots s ON s.grp = b.grp AND s.actor = b.actor
                    WHERE coalesce(s.rev, 0) < b.rev AND (coalesce(s.rev, 0) = b.rev - 1
                        OR EXISTS(SELECT 1 FROM fibry_turns t WHERE t.grp = b.grp AND t.actor = b.actor AND t.rev = b.rev - 1))
                    ON CONFLICT DO NOTHING"""
                    .formatted(SqlFollower.BITS_OF_TURN);

    /** The bits of the number of a turn that have its place in the commit, from one. */
    private static final long PLACE = (1L << SqlFollower.BITS_OF_TURN) - 1;

    private PostgresTurns() {
    }

    /**
     * Adds turns, apart from those that are fenced.
     *
     * @param numbers the numbers of the groups by their names
     * @param shift what is added to the number of the transaction
     * @return bit i is set if turn i was added
     */
    static BitSet insert(Sql sql, List<Turn> turns, Map<String, Integer> numbers, long shift)
            throws SQLException {
        if (turns.size() == 1) {
            return insertOne(sql, turns.getFirst(), numbers, shift);
        }
        int size = 0;
        for (var turn : turns) {
            size = Math.addExact(size, turn.events().length + turn.outbox().length);
        }
        int count = turns.size();
        var bytes = new byte[size];
        var groups = new int[count];
        var keys = new String[count];
        var revisions = new long[count];
        var before = new long[count];
        var times = new long[count];
        var starts = new int[count];
        var lengths = new int[2][count];
        var slots = new int[count];
        var counts = new HashMap<Id, Integer>();
        int end = 0;
        for (int i = 0; i < count; i++) {
            var turn = turns.get(i);
            groups[i] = numbers.getOrDefault(turn.id().group(), 0);
            keys[i] = turn.id().key();
            revisions[i] = turn.revision();
            before[i] = turn.revision() - counts.merge(turn.id(), 1, Integer::sum);
            times[i] = turn.at().toEpochMilli();
            // A turn without messages to be sent is never looked for by its slice.
            slots[i] = turn.outbox().length == 0 ? 0 : Slices.number(turn.id());
            starts[i] = end;
            var parts = List.of(turn.events(), turn.outbox());
            for (int part = 0; part < lengths.length; part++) {
                var source = parts.get(part);
                System.arraycopy(source, 0, bytes, end, source.length);
                lengths[part][i] = source.length;
                end += source.length;
            }
        }
        var written = new BitSet(count);
        var ids =
                sql.all(INSERT, rows -> rows.getLong(1), shift, bytes, groups, keys, revisions, before, times,
                        starts, lengths[0], lengths[1], slots);
        for (long id : ids) {
            written.set((int) (id & PLACE) - 1);
        }
        takeBack(sql, turns, written, numbers);
        return written;
    }

    private static BitSet insertOne(Sql sql, Turn turn, Map<String, Integer> numbers,
            long shift)
            throws SQLException {
        var written = new BitSet(1);
        written.set(0, sql.update(INSERT_ONE, shift, turn.at().toEpochMilli(), turn.events(),
                SqlJournal.outbox(turn.outbox()), SqlJournal.slot(turn),
                numbers.getOrDefault(turn.id().group(), 0), turn.id().key(), turn.revision()) == 1);
        return written;
    }

    /** Takes the turns back that are behind a fenced one of their key. */
    private static void takeBack(Sql sql, List<Turn> turns, BitSet written,
            Map<String, Integer> numbers) throws SQLException {
        if (written.cardinality() == turns.size()) {
            return;
        }
        var fenced = new HashSet<Id>();
        for (int i = 0; i < turns.size(); i++) {
            var turn = turns.get(i);
            if (!written.get(i)) {
                fenced.add(turn.id());
            } else if (fenced.contains(turn.id())) {
                sql.add("DELETE FROM fibry_turns WHERE grp = ? AND actor = ? AND rev = ?",
                        numbers.getOrDefault(turn.id().group(), 0), turn.id().key(), turn.revision());
                written.clear(i);
            }
        }
        sql.runAll();
    }
}
