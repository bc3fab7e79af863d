package io.fibry.cluster;

import io.fibry.Actor;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.util.Optional;

/** Keyed actors that are shared: messages go to the homes of their keys, all else concerns the actors of this node. */
final class SharedActors<K, M, R> extends GroupSender<K, M, R> implements KeyedActors<K, M, R> {
    private final KeyedActors<K, M, R> actors;

    SharedActors(ClusterGroup<K, M, R> group, GroupCodec<K, M, R> codec, SharedKeys keys,
            JoinedCluster cluster,
            KeyedActors<K, M, R> actors) {
        super(group, codec, Optional.of(keys), cluster);
        this.actors = actors;
    }

    @Override
    public boolean sendUrgent(M message) {
        throw new IllegalStateException("No message to the shared actors '" + name()
                + "' is urgent: messages between nodes keep their order; use sendMessage");
    }

    @Override
    public Optional<Actor<M, R>> find(K key) {
        return actors.find(key);
    }

    @Override
    public int live() {
        return actors.live();
    }

    @Override
    public Counters counters() {
        return actors.counters();
    }

    /** Hands the keys over to other nodes, and stops the actors of this one. */
    @Override
    public StopReport stop(Duration deadline) {
        var unused = Durations.nanos(deadline, "deadline"); // before anything is done
        handOver(deadline);
        return actors.stop(deadline);
    }

    @Override
    public void close() {
        handOver(cluster.scope.closeTimeout());
        actors.close();
    }

    /** Hands the keys over. A deadline of zero does not wait. */
    private void handOver(Duration deadline) {
        cluster.unshare(name(), actors, deadline.isZero() ? Duration.ofNanos(1) : deadline);
    }

    @Override
    public String toString() {
        return "SharedActors[" + name() + ", " + live() + " live here]";
    }
}
