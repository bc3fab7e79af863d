package io.fibry.cluster.home;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Tells from the entries of slices which of them have moved. It sees the table of this node only, so it may miss a
 * home of a moment.
 *
 * <p>Not thread-safe. Times are those of a clock in nanoseconds.
 */
public final class SliceMoves {
    private final Map<String, Seen> seen = new HashMap<>();
    private final Map<Way, Sum> moved = new LinkedHashMap<>();

    /** The last home of a slice, and since when it has none, if that is known. */
    private record Seen(UUID home, @Nullable Long since) {
    }

    private record Way(String group, UUID from, UUID to) {
    }

    private static final class Sum {
        final SortedSet<Integer> slices = new TreeSet<>();
        long longest;
    }

    /**
     * Slices of a group that have moved.
     *
     * @param group name of the group
     * @param slices their numbers
     * @param from the home before
     * @param to the home now
     * @param nanos how long the one that took longest had no home; 0 if this node did not see when that began
     */
    public record Move(String group, SortedSet<Integer> slices, UUID from, UUID to, long nanos) {
    }

    /** Takes the value in that an entry of a table has now. */
    public void entry(String table, String key, byte @Nullable [] value, long now) {
        var entry = table.equals(GroupTables.HOMES) ? GroupEntry.decode(value) : null;
        if (entry == null) {
            return;
        }
        var before = seen.get(key);
        if (!entry.open()) {
            if (before != null && before.since == null) {
                seen.put(key, new Seen(before.home, now));
            }
            return;
        }
        seen.put(key, new Seen(entry.node(), null));
        if (before != null && !before.home.equals(entry.node())) {
            var sum = moved.computeIfAbsent(new Way(GroupTables.group(key), before.home, entry.node()),
                    missing -> new Sum());
            sum.slices.add(GroupTables.slice(key));
            sum.longest = Math.max(sum.longest, before.since == null ? 0 : now - before.since);
        }
    }

    /** The nodes that are there have changed: slices of the others have no home. */
    public void members(Collection<UUID> members, long now) {
        seen.replaceAll((key, slice) -> slice.since == null && !members.contains(slice.home)
                ? new Seen(slice.home, now)
                : slice);
    }

    /** Returns the moves that were seen since the last call. */
    public List<Move> take() {
        var moves = new ArrayList<Move>();
        moved.forEach(
                (way, sum) -> moves.add(new Move(way.group, sum.slices, way.from, way.to, sum.longest)));
        moved.clear();
        return moves;
    }
}
