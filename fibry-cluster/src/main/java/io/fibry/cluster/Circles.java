package io.fibry.cluster;

import io.fibry.cluster.circle.ActorWait;
import io.fibry.cluster.circle.CircleProbe;
import io.fibry.cluster.circle.CircleSearch;
import io.fibry.cluster.circle.NodeAsk;
import io.fibry.cluster.circle.ProbeWays;
import io.fibry.cluster.home.ClusterMember;
import io.fibry.internal.cycles.RemoteWait;
import io.fibry.internal.cycles.RemoteWaits;
import io.fibry.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Connects the search for circles of asks with the actors of this node and with the member. Actors tell when they
 * begin to wait, and the actor of the member does all else.
 */
final class Circles implements RemoteWaits, ProbeWays {
    private final ClusterNode self;
    private final ClusterMember member;
    private final Collection<Hosted> groups;
    private final TimeSource time;
    private final CircleSearch search;
    /** The waits that have begun since the last tick. Any thread adds, the actor of the member takes. */
    private final Queue<RemoteWait> begun = new ConcurrentLinkedQueue<>();

    Circles(ClusterNode self, ClusterMember member, Collection<Hosted> groups,
            TimeSource time) {
        this.self = self;
        this.member = member;
        this.groups = groups;
        this.time = time;
        search = new CircleSearch(self.incarnation(), this);
    }

    @Override
    public void waits(RemoteWait wait) {
        begun.add(wait);
    }

    /** Lets time pass. */
    void tick(long now) {
        var early = new ArrayList<RemoteWait>();
        for (var wait = begun.poll(); wait != null; wait = begun.poll()) {
            var known = OutgoingWait.of(wait, self);
            if (known.isPresent()) {
                search.note(known.get(), now);
            } else if (!wait.isOver()) {
                early.add(wait); // the ask is behind this tick in the mailbox
            }
        }
        begun.addAll(early);
        search.tick(now);
    }

    /** A probe has come along an ask that was delivered to this node. */
    void arrived(Input.Probed probed, long now) {
        CircleProbe.of(probed.probe()).ifPresent(
                probe -> search.arrived(new NodeAsk(probed.from(), probed.ask()), probe, now));
    }

    @Override
    public Optional<ActorWait> under(NodeAsk ask) {
        return groups.stream().flatMap(group -> group.asks.waitUnder(ask, self).stream()).findFirst();
    }

    @Override
    public void send(ActorWait wait, CircleProbe probe) {
        var outgoing = ((OutgoingWait) wait).outgoing();
        if (outgoing.letter != null) {
            member.probe(outgoing.letter, probe.bytes(), time.nanoTime());
        }
    }

    @Override
    public void refuse(ActorWait wait, String circle) {
        ((OutgoingWait) wait).refuse(circle);
    }
}
