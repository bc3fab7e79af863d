package io.fibry.cluster;

import io.fibry.cluster.home.ClusterMember;
import io.fibry.cluster.home.Fate;
import io.fibry.cluster.home.Letter;
import io.fibry.cluster.stream.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The way of messages from this node to workers, on whatever node. Used by the actor of the member alone.
 *
 * <pre>
 *   ready --> underway    a node is chosen: this one if it has an idle worker; otherwise that of two drawn ones which has less to do
 *   ready --> held        no node has workers, or all that have them are about to stop them
 *   held --> ready        a while later, or when another node has workers
 *   underway --> ready    its node has refused it, or was lost, and it may be sent again: another node is chosen
 *   underway --> over     it was taken, for an ask until it is answered; or all nodes have refused it; or its fate is uncertain
 * </pre>
 *
 * <p>The load of a node is what it has told last, and what was sent to it since then without an answer.
 */
final class RouteToWorkers {
    private static final long PAUSE = 50_000_000L;
    /** What is known of a node that has told nothing yet. */
    private static final NodeLoad UNKNOWN = new NodeLoad(1, 0);
    private static final int FULL = Integer.MAX_VALUE / 2;

    private final String group;
    private final ClusterMember member;
    private final UUID self;
    private final Supplier<NodeLoad> here;
    private final RandomGenerator random;
    private final Map<UUID, Way> ways = new HashMap<>();
    private final Map<Outgoing, Errand> errands = new LinkedHashMap<>();
    private final Queue<Errand> ready = new ArrayDeque<>();
    private final List<Errand> held = new ArrayList<>();
    private Set<UUID> hosts = Set.of();
    private long pauseEnd;

    /** What is known of a node. */
    private static final class Way {
        NodeLoad told = UNKNOWN;
        /** How many messages were sent since it has told its load and have no answer, and those before whose verdict is missing. */
        int since;
        int unsettled;

        void answered() {
            since = Math.max(unsettled, since - 1);
        }

        NodeLoad load() {
            return told.plus(since);
        }
    }

    /** A message, and the nodes where it was. */
    private static final class Errand {
        final Outgoing outgoing;
        final long ask;
        final long deadline;
        final Set<UUID> refusedBy = new HashSet<>();
        /** The last node that had no room for it. */
        @Nullable UUID full;
        /** The node that was lost with it and that may have handled it. */
        @Nullable UUID uncertainAt;
        /** What is known of the node to which it went last. */
        @Nullable Way way;
        /** Whether a node is to give a verdict. */
        boolean isUnsettled;
        boolean isOver;

        Errand(Outgoing outgoing, long ask, long deadline) {
            this.outgoing = outgoing;
            this.ask = ask;
            this.deadline = deadline;
        }

        boolean isLate(long now) {
            return deadline != Letter.NO_DEADLINE && now - deadline >= 0;
        }

        boolean mayBeRepeated(long now) {
            return outgoing.isAsk() && outgoing.message instanceof Repeatable && !isLate(now);
        }
    }

    /**
     * Makes a route.
     *
     * @param here tells what the workers of this node have to do
     * @param random draws the nodes
     */
    RouteToWorkers(String group, ClusterMember member, UUID self, Supplier<NodeLoad> here,
            RandomGenerator random) {
        this.group = group;
        this.member = member;
        this.self = self;
        this.here = here;
        this.random = random;
    }

    /** Takes a message. {@link #pump} sends it. */
    void send(Outgoing outgoing, long ask, long deadline) {
        var errand = new Errand(outgoing, ask, deadline);
        errands.put(outgoing, errand);
        ready.add(errand);
    }

    /** A node has told what its workers have to do. */
    void told(UUID node, NodeLoad load) {
        var way = way(node);
        way.told = load;
        way.since = way.unsettled;
    }

    private Way way(UUID node) {
        return ways.computeIfAbsent(node, missing -> new Way());
    }

    /** Sends what is ready. It is not called by what the member tells, since it calls the member. */
    void pump(long now) {
        var current = member.hosts(group);
        if (!current.equals(hosts)) {
            ways.keySet().retainAll(current);
            hosts = current;
            release();
        }
        for (var errand = ready.poll(); errand != null; errand = ready.poll()) {
            if (errand.outgoing.isOver || errand.isOver) {
                end(errand);
            } else {
                go(errand, now);
            }
        }
    }

    private void release() {
        ready.addAll(held);
        held.clear();
    }

    private void go(Errand errand, long now) {
        var free = new ArrayList<UUID>(hosts);
        free.removeAll(errand.refusedBy);
        if (!member.isServing()) {
            tell(errand, new Fate.NotServed());
        } else if (!free.isEmpty()) {
            dispatch(errand, choose(free), now);
        } else if (errand.full != null) {
            tell(errand, new Fate.Refused(errand.full, Verdict.FULL));
        } else {
            errand.refusedBy.clear();
            if (held.isEmpty()) {
                pauseEnd = now + PAUSE;
            }
            held.add(errand);
        }
    }

    private UUID choose(List<UUID> free) {
        if (free.contains(self) && load(self).hasIdle()) {
            return self;
        }
        var one = free.get(random.nextInt(free.size()));
        if (free.size() == 1) {
            return one;
        }
        free.remove(one);
        var other = free.get(random.nextInt(free.size()));
        return load(other).isLessThan(load(one)) ? other : one;
    }

    private NodeLoad load(UUID node) {
        return node.equals(self) ? here.get().plus(way(node).unsettled) : way(node).load();
    }

    private void dispatch(Errand errand, UUID node, long now) {
        var way = way(node);
        way.since++;
        way.unsettled++;
        errand.isUnsettled = true;
        errand.way = way;
        var letter = Letter.to(node, group, errand.ask, errand.deadline, errand.outgoing.body.bytes(),
                errand.outgoing);
        errand.outgoing.letter = letter;
        member.send(letter, now);
    }

    /** Takes a fate in; returns what its sender is to be told, or null if it is told later. */
    @Nullable Fate fate(Outgoing outgoing, Fate fate, long now) {
        var errand = errands.get(outgoing);
        if (errand == null) {
            return fate;
        }
        settle(errand);
        var goesOn = switch (fate) {
            case Fate.Refused refused -> isRefused(errand, refused);
            case Fate.Uncertain uncertain -> isRepeated(errand, uncertain, now);
            case Fate.Taken taken -> false;
            case Fate.NotServed not -> false;
            case Fate.Expired expired -> false;
        };
        if (goesOn) {
            ready.add(errand);
            return null;
        }
        if (errand.isOver || !(fate instanceof Fate.Taken) || outgoing.body.want() == LetterBody.Want.TELL) {
            end(errand);
        }
        return inTheEnd(errand, fate);
    }

    /** The verdict of a node has come, or never will. */
    private static void settle(Errand errand) {
        if (errand.isUnsettled && errand.way != null) {
            errand.way.unsettled--;
        }
        errand.isUnsettled = false;
    }

    private boolean isRefused(Errand errand, Fate.Refused refused) {
        if (refused.why() == Verdict.NOT_UNDERSTOOD) {
            return false;
        }
        errand.refusedBy.add(refused.node());
        if (refused.why() == Verdict.FULL) {
            errand.full = refused.node();
            var way = way(refused.node());
            way.told = new NodeLoad(way.told.size(), FULL); // until it tells something else
        }
        return true;
    }

    private boolean isRepeated(Errand errand, Fate.Uncertain uncertain, long now) {
        var again = errand.mayBeRepeated(now);
        if (again) {
            errand.uncertainAt = uncertain.node();
            // Those that had no room before may have some now.
            errand.refusedBy.clear();
            errand.full = null;
        }
        return again;
    }

    private static Fate inTheEnd(Errand errand, Fate fate) {
        var isCertain = fate instanceof Fate.Refused || fate instanceof Fate.NotServed;
        return errand.uncertainAt != null && isCertain ? new Fate.Uncertain(errand.uncertainAt) : fate;
    }

    private void tell(Errand errand, Fate fate) {
        end(errand);
        errand.outgoing.sender.told(errand.outgoing, inTheEnd(errand, fate));
    }

    /** The answer has come, or its sender does not wait for it any more. */
    void over(Outgoing outgoing) {
        var errand = errands.get(outgoing);
        if (errand != null) {
            errand.isOver = true;
            if (errand.way != null && !errand.isUnsettled) {
                errand.way.answered();
            }
            end(errand);
        }
    }

    /** Forgets a message, unless its verdict is missing. */
    private void end(Errand errand) {
        if (!errand.isUnsettled) {
            errands.remove(errand.outgoing);
            errand.outgoing.forget();
        }
    }

    /** This node sends nothing any more: what no node has is not served. */
    void end() {
        release();
        for (var errand = ready.poll(); errand != null; errand = ready.poll()) {
            if (!errand.outgoing.isOver && !errand.isOver) {
                tell(errand, new Fate.NotServed());
            }
        }
    }

    /** Lets time pass. */
    void tick(long now) {
        held.removeIf(errand -> {
            var late = errand.isOver || errand.isLate(now);
            if (late && !errand.isOver) {
                tell(errand, new Fate.Expired());
            }
            return late;
        });
        if (!held.isEmpty() && (!member.isServing() || (!hosts.isEmpty() && now - pauseEnd >= 0))) {
            release();
        }
    }
}
