package io.fibry.cluster.circle;

import io.fibry.cluster.circle.CircleProbe.Hop;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds circles of asks through nodes, as a state machine: each node has one, and probes go from one to the next.
 *
 * <pre>
 *   noted --> searched    an actor has waited for an ask for 20 ms: a probe goes along the ask, for the first time
 *   searched --> again    the probe has come back, by an ask on which the same wait depends: it goes round for the second time
 *   again --> refused     it has come back, and found at each node what it had found before
 * </pre>
 *
 * <p>A node that gets a probe looks for the wait on which the answer to that ask depends, and sends the probe along
 * the ask for which that actor waits. If there is no such wait, the probe ends there.
 *
 * <p><b>No circle is missed.</b> A wait is noted when an actor begins to wait for an ask, or for an actor that waits
 * for one, directly or not. So when the last wait of a circle begins, an ask of the circle is noted, and all its
 * waits are there for a probe that begins later. A probe is lost only with a node, and then the asks to that node
 * end. If it finds an ask that is not taken yet, it waits.
 *
 * <p><b>Nothing else is taken for a circle.</b> An actor waits for one answer at a time. What the first round finds at each node is remembered
 * there, and the second round must find the very same waits. So each of them was there at the moment between both rounds, and at that moment all
 * of them together were a circle. It is refused only if the first wait is still there at the end.
 *
 * <p><b>One ask of a circle is refused.</b> If a probe finds an ask that is less than its own, it ends, and that ask
 * is searched for instead. So only the probe of the least ask of a circle comes round. Of several searches for one
 * ask only the last counts.
 *
 * <p>Not thread-safe. Times are those of a clock in nanoseconds.
 */
public final class CircleSearch {
    private static final long PAUSE = 20_000_000L;
    /** How long a search is remembered. */
    private static final long LONGEST = 10_000_000_000L;

    private final UUID self;
    private final ProbeWays ways;
    /** The waits that were noted, by their asks, in the order of their times. */
    private final Map<Long, Noted> noted = new LinkedHashMap<>();
    /** The searches for asks of this node, by their asks. */
    private final Map<Long, Search> searches = new HashMap<>();
    /** What the probes of others have found here in their first round; a probe may pass a node several times, by different asks. */
    private final Map<Passed, Found> found = new HashMap<>();
    private long lastSearch;

    private record Noted(ActorWait edge, long time) {
    }

    private record Passed(NodeAsk begin, long search, long ask) {
        static Passed of(CircleProbe probe, ActorWait wait) {
            return new Passed(probe.begin(), probe.search(), wait.ask());
        }
    }

    private record Found(ActorWait edge, long time) {
    }

    /** What comes back at the end of the first round is null until then. */
    private record Search(long number, ActorWait edge, long time, @Nullable ActorWait back) {
    }

    /**
     * Makes the search of a node.
     *
     * @param self incarnation of the node
     * @param ways the world around
     */
    public CircleSearch(UUID self, ProbeWays ways) {
        this.self = self;
        this.ways = ways;
    }

    /** An actor has begun to wait for an ask of this node, or one has begun to wait for such an actor. */
    public void note(ActorWait wait, long now) {
        // mutant: wait-that-was-noted-before-is-searched-no-more
        noted.remove(wait.ask());
        noted.put(wait.ask(), new Noted(wait, now));
    }

    /** Lets time pass. */
    public void tick(long now) {
        for (var each = noted.values().iterator(); each.hasNext();) {
            var next = each.next();
            if (now - next.time < PAUSE) {
                break;
            }
            each.remove();
            if (!next.edge.isOver()) {
                begin(next.edge, now);
            }
        }
        searches.values().removeIf(search -> search.edge.isOver() || now - search.time > LONGEST);
        found.values().removeIf(seen -> seen.edge.isOver() || now - seen.time > LONGEST);
    }

    private void begin(ActorWait wait, long now) {
        lastSearch++;
        searches.put(wait.ask(), new Search(lastSearch, wait, now, null));
        ways.send(wait, new CircleProbe(new NodeAsk(self, wait.ask()), lastSearch, false, List.of()));
    }

    /** A probe has come along an ask that was delivered to this node. */
    public void arrived(NodeAsk ask, CircleProbe probe, long now) {
        ways.under(ask).ifPresent(wait -> {
            var next = new NodeAsk(self, wait.ask());
            if (next.equals(probe.begin())) {
                back(wait, probe);
            } else if (probe.isSecond()) {
                var seen = found.remove(Passed.of(probe, wait));
                if (seen != null && seen.edge.isSameAs(wait)) {
                    ways.send(wait, probe);
                }
                // mutant: each-ask-of-a-circle-is-searched
            } else if (next.compareTo(probe.begin()) < 0) {
                begin(wait, now);
            } else if (!probe.hasPassed(next) && probe.hops().size() < CircleProbe.MOST_HOPS) {
                found.put(Passed.of(probe, wait), new Found(wait, now));
                ways.send(wait, probe.with(new Hop(next, wait.actors())));
            }
        });
    }

    private void back(ActorWait wait, CircleProbe probe) {
        var search = searches.get(wait.ask());
        if (search == null || search.number != probe.search() || !search.edge.endsAs(wait)) {
            return;
        }
        if (!probe.isSecond()) {
            searches.put(wait.ask(), new Search(search.number, search.edge, search.time, wait));
            // mutant: there-is-no-second-round
            ways.send(wait, probe.second());
        } else if (search.back != null && search.back.isSameAs(wait)) {
            searches.remove(wait.ask());
            ways.refuse(wait, circle(wait, probe));
        }
    }

    private static String circle(ActorWait wait, CircleProbe probe) {
        var path = probe.hops().stream().map(hop -> hop.actors() + " -> ").collect(Collectors.joining());
        return path + wait.actors();
    }
}
