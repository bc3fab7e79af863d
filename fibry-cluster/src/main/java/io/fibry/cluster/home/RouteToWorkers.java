package io.fibry.cluster.home;

import io.fibry.cluster.stream.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The way of letters from this node to workers, on any node.
 *
 * <pre>
 *   held --> underway    a node is chosen: this one if it has an idle worker; otherwise that of two drawn ones which has less to do
 *   underway --> held    its node has refused it, or was lost, and it may be sent again
 *   underway --> over    it was taken, for an ask until it is answered; or all nodes have refused it; or its fate is uncertain
 * </pre>
 *
 * <p>What is held goes at once if another node may take it; otherwise a while later, or when nodes come or go. The
 * load of a node is what it has told last, and what was sent to it since then without an answer.
 */
final class RouteToWorkers extends Route {
    private static final long PAUSE = 50_000_000L;
    /** What is known of a node that has told nothing yet. */
    private static final NodeLoad UNKNOWN = new NodeLoad(1, 0);
    private static final int FULL = Integer.MAX_VALUE / 2;

    private final SharedGroup group;
    private final Map<UUID, Way> ways = new HashMap<>();
    private final Map<Letter, Errand> errands = new LinkedHashMap<>();
    private final Set<Letter> held = new LinkedHashSet<>();
    private long pauseEnd;

    /** What is known of a node. */
    private static final class Way {
        final UUID node;
        NodeLoad told = UNKNOWN;
        /** How many letters were sent since it has told its load and have no answer, and those before whose verdict is missing. */
        int since;
        int unsettled;

        Way(UUID node) {
            this.node = node;
        }

        void answered() {
            since = Math.max(unsettled, since - 1);
        }
    }

    /** Where a letter is, and was. */
    private static final class Errand {
        final Set<UUID> refusedBy = new HashSet<>();
        /** The last node that had no room for it. */
        @Nullable UUID full;
        /** What is known of the node to which it went last. */
        @Nullable Way way;
        /** Whether that node is to give a verdict. */
        boolean isUnsettled;
        /** Whether it is answered, or its sender does not wait for it any more. */
        boolean isOver;

        /** The verdict of a node is known, or will never be. */
        void settle() {
            if (isUnsettled && way != null) {
                way.unsettled--;
            }
            isUnsettled = false;
        }
    }

    RouteToWorkers(ClusterMember member, SharedGroup group) {
        super(member);
        this.group = group;
        // Nodes do not tell again what they have told before this one knew the group.
        member.surroundings.loads(group.name).forEach(this::told);
    }

    /** A node has told what its workers have to do. */
    void told(UUID node, NodeLoad load) {
        var way = way(node);
        way.told = load;
        way.since = way.unsettled;
    }

    private Way way(UUID node) {
        return ways.computeIfAbsent(node, Way::new);
    }

    @Override
    void send(Letter letter, long now) {
        var errand = errands.computeIfAbsent(letter, missing -> new Errand());
        var free = new ArrayList<UUID>(group.hosts());
        if (group.isHosted() && !free.contains(member.self)) {
            free.add(member.self); // its entry was removed while it was cut off, or is being written
        }
        // While it is told that nodes are lost, they are still among the hosts.
        free.removeIf(node -> !member.sees(node) || errand.refusedBy.contains(node));
        if (!member.isServing()) {
            tell(letter, new Fate.NotServed());
        } else if (letter.isOver(now) || letter.isAnswered()) {
            tell(letter, new Fate.Expired());
        } else if (!free.isEmpty()) {
            dispatch(letter, errand, way(choose(free)));
        } else if (errand.full != null) {
            tell(letter, new Fate.Refused(errand.full, Verdict.FULL));
        } else {
            errand.refusedBy.clear();
            hold(letter, now + PAUSE);
        }
    }

    private void hold(Letter letter, long until) {
        if (held.isEmpty()) {
            pauseEnd = until;
        }
        held.add(letter);
        member.waits(group);
    }

    boolean waits() {
        return !held.isEmpty();
    }

    private void tell(Letter letter, Fate fate) {
        errands.remove(letter);
        member.told(letter, fate);
    }

    private UUID choose(List<UUID> free) {
        if (free.contains(member.self) && load(member.self).hasIdle()) {
            return member.self;
        }
        var one = free.remove(member.surroundings.random(free.size()));
        if (free.isEmpty()) {
            return one;
        }
        var other = free.get(member.surroundings.random(free.size()));
        return load(other).isLessThan(load(one)) ? other : one;
    }

    private NodeLoad load(UUID node) {
        var way = way(node);
        return node.equals(member.self) ? member.surroundings.load(group.name).plus(way.unsettled)
                : way.told.plus(way.since);
    }

    private void dispatch(Letter letter, Errand errand, Way way) {
        way.since++;
        way.unsettled++;
        errand.way = way;
        errand.isUnsettled = true;
        member.dispatch(way.node, letter, 0);
    }

    @Override
    boolean repeats(Letter letter, Verdict verdict, long now) {
        return verdict != Verdict.TAKEN && verdict != Verdict.NOT_UNDERSTOOD && !letter.isAnswered();
    }

    @Override
    void settled(Letter letter, UUID by, Verdict verdict, boolean isSentAgain, long now) {
        var errand = errands.get(letter);
        if (errand == null) {
            return; // it was answered before its verdict came
        }
        errand.settle();
        if (isSentAgain) {
            errand.refusedBy.add(by);
            if (verdict == Verdict.FULL) {
                errand.full = by;
                var way = way(by);
                way.told = new NodeLoad(way.told.size(), FULL); // until it tells something else
            }
            send(letter, now);
        } else if (verdict != Verdict.TAKEN || letter.ask == 0 || errand.isOver) {
            errands.remove(letter);
        }
    }

    /** Those that had no room before may have some now. */
    @Override
    void lost(Letter letter, boolean isNotTaken) {
        var errand = errands.remove(letter);
        if (errand != null) {
            errand.settle();
        }
        if (isNotTaken) {
            hold(letter, member.now());
        }
    }

    @Override
    void repeat(Letter letter) {
        errands.remove(letter);
        hold(letter, member.now());
    }

    @Override
    void ended(Letter letter) {
        var errand = errands.get(letter);
        if (errand == null) {
            return;
        }
        errand.isOver = true;
        if (letter.isAnswered()) {
            errand.settle(); // so it does not count beside the load of this node, from which it is gone
        }
        if (!errand.isUnsettled) {
            errands.remove(letter);
            if (errand.way != null) {
                errand.way.answered();
            }
        }
    }

    @Override
    boolean takeBack(Letter letter) {
        return held.remove(letter);
    }

    /** Nodes have come or gone, or some have workers that had none. */
    @Override
    void lookAgain(long now) {
        ways.keySet().removeIf(node -> !member.sees(node));
        takeHeld().forEach(letter -> send(letter, now));
    }

    private List<Letter> takeHeld() {
        var letters = List.copyOf(held);
        held.clear();
        return letters;
    }

    /** This node sends nothing any more: what no node has is not served. */
    void refuseHeld() {
        takeHeld().forEach(letter -> tell(letter, new Fate.NotServed()));
    }

    @Override
    void tick(long now) {
        held.removeIf(letter -> {
            var over = letter.isOver(now);
            if (over) {
                tell(letter, new Fate.Expired());
            }
            return over;
        });
        if (!held.isEmpty() && !group.hosts().isEmpty() && now - pauseEnd >= 0) {
            takeHeld().forEach(letter -> send(letter, now));
        }
    }
}
