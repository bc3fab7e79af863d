package io.fibry.durable;

import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Turn;
import io.fibry.internal.keyed.SliceWork.HomeRow;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The rows that name this node as the home of slices, where a cluster keeps them in the database of the store. A turn is
 * committed in one transaction with the row of its home: the row is locked against changes, and if it is another node's by
 * now, the turn is fenced. So an older home writes nothing after the claim of the next one, whatever its clock says and
 * however long it was frozen. The cluster does not wait for the lock; it claims the slice when the transaction is over.
 *
 * <p>The row of a slice stays known when the slice goes: what was handled before is written with it, or fenced. The
 * next period of service begins when all that has ended, and brings the next row. Thread-safe.
 */
final class HomeRows {
    private static final String HOLD =
            """
                    SELECT h.n FROM unnest(?::text[], ?::text[], ?::text[], ?::bytea[]) WITH ORDINALITY AS h(cluster, tab, key, value, n)
                        JOIN fibry_cluster_entries e ON e.cluster = h.cluster AND e.tab = h.tab AND e.key = h.key AND e.value = h.value FOR SHARE OF e""";

    private final Map<String, Map<Integer, Home>> groups = new ConcurrentHashMap<>();
    /** Whether the database with this id is that of the store. A promoted copy has the same id, so this does not change. */
    private final Map<String, Boolean> isHere = new ConcurrentHashMap<>();

    /** The home of a slice, of so many. */
    private record Home(int slices, HomeRow row) {
    }

    void begin(String group, int slice, int slices, Optional<HomeRow> row) {
        row.ifPresent(there -> groups.computeIfAbsent(group, missing -> new ConcurrentHashMap<>()).put(slice,
                new Home(slices, there)));
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    /** Holds the rows of turns until the end of the transaction; bit i is set if turn i may be written. */
    BitSet hold(Sql sql, List<Turn> turns) throws SQLException {
        var may = new BitSet(turns.size());
        may.set(0, turns.size());
        if (isEmpty()) {
            return may;
        }
        // First all rows, then those that are not this node's any more.
        var others = new LinkedHashMap<HomeRow, BitSet>();
        for (int i = 0; i < turns.size(); i++) {
            var row = row(turns.get(i));
            if (row != null && isHere(sql, row)) {
                others.computeIfAbsent(row, missing -> new BitSet()).set(i);
            }
        }
        lock(sql, List.copyOf(others.keySet())).forEach(others::remove);
        others.values().forEach(may::andNot);
        return may;
    }

    private @Nullable HomeRow row(Turn turn) {
        var homes = groups.getOrDefault(turn.id().group(), Map.of());
        var any = homes.values().stream().findFirst();
        var home = any.isEmpty() ? null : homes.get(Slices.number(turn.id()) % any.get().slices);
        return home == null ? null : home.row;
    }

    private boolean isHere(Sql sql, HomeRow row) throws SQLException {
        var known = isHere.get(row.database());
        if (known == null) {
            known = hasTable(sql) && hasId(sql, row.database());
            isHere.put(row.database(), known);
        }
        return known;
    }

    private static boolean hasTable(Sql sql) throws SQLException {
        return sql.first("SELECT to_regclass('fibry_cluster_schema') IS NOT NULL", rows -> rows.getBoolean(1))
                .orElse(false);
    }

    private static boolean hasId(Sql sql, String id) throws SQLException {
        return sql.first("SELECT 1 FROM fibry_cluster_schema WHERE id = ?", rows -> true, id).isPresent();
    }

    /** Locks rows. Returns those that are there. */
    private static List<HomeRow> lock(Sql sql, List<HomeRow> rows) throws SQLException {
        return rows.isEmpty() ? rows : sql.all(HOLD, found -> rows.get(found.getInt(1) - 1),
                rows.stream().map(HomeRow::cluster).toArray(String[]::new),
                rows.stream().map(HomeRow::table).toArray(String[]::new),
                rows.stream().map(HomeRow::key).toArray(String[]::new),
                rows.stream().map(HomeRow::value).toArray(byte[][]::new));
    }
}
