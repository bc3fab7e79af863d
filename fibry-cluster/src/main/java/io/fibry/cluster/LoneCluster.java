package io.fibry.cluster;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.Recipient;
import io.fibry.cluster.ClusterGroup.Kind;
import io.fibry.cluster.GroupsOfNode.Addition;
import io.fibry.cluster.GroupsOfNode.Shared;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.keyed.SliceWork;
import io.fibry.internal.scope.ScopeSpec;
import io.fibry.keyed.KeyedActors;
import io.fibry.pool.WorkerPool;
import io.fibry.time.Cancellable;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A cluster of one node: what is shared is the scope's own. */
final class LoneCluster implements Cluster {
    private final ActorScope scope;
    /** Of the watchers. They wait neither for a thread nor for a place of the program's scope. */
    private final ActorScope inner;
    private final int slices;
    private final ClusterNode self;
    private final GroupsOfNode groups;
    /** It only becomes true; until then a second leave returns false. Set by the thread that leaves. */
    private volatile boolean isInTime;

    LoneCluster(ActorScope scope, ClusterOptions options) {
        this.scope = scope;
        inner = ScopeSpec.serving(scope, "cluster", CreationStrategy.fibers()).open();
        slices = options.slices();
        self = new ClusterNode(UUID.randomUUID(), options.name(), true);
        groups = new GroupsOfNode(self);
    }

    @Override
    public ClusterNode self() {
        return self;
    }

    @Override
    public Set<ClusterNode> members() {
        return Set.of(self);
    }

    @Override
    public Map<ClusterNode, Duration> leases() {
        return Map.of();
    }

    @Override
    public boolean serves() {
        return !groups.isLeaving() && !scope.isClosing();
    }

    @Override
    public List<GroupHomes> homes() {
        return groups.all().values().stream().filter(this::hasHomes).map(Shared::group)
                .sorted(Comparator.comparing(ClusterGroup::name))
                .map(group -> new GroupHomes(group.name(),
                        Collections.nCopies(group.slices(slices), Optional.of(self))))
                .toList();
    }

    private boolean hasHomes(Shared shared) {
        return shared.group().slices(slices) > 0 && !shared.isOver().getAsBoolean();
    }

    @Override
    public <K> Optional<ClusterNode> homeOf(ClusterGroup<K, ?, ?> group, K key) {
        return groups.find(group).filter(this::hasHomes).map(shared -> self);
    }

    private static void requireNew(Addition addition, ClusterGroup<?, ?, ?> group) {
        // What cannot cross fails here as well, and not with the second node.
        var unused = new GroupCodec<>(group);
        addition.requireNew(group);
    }

    @Override
    public <K, M, R> KeyedActors<K, M, R> share(ClusterGroup<K, M, R> group, KeyedActors<K, M, R> actors) {
        var keys = Sharing.check(group, actors);
        try (var addition = groups.addition()) {
            requireNew(addition, group);
            Sharing.take(keys, group, actors);
            addition.add(
                    new Shared(group, Optional.of(actors), actors::stop, keys::hasEnded, Optional.empty()),
                    keys::giveBack);
        }
        keys.work().ifPresent(SliceWork::beginAlone);
        return actors;
    }

    @Override
    public <M, R> Recipient<M, R> singleton(ClusterGroup<String, M, R> group, ActorBuilder actor,
            Supplier<? extends ContextReplyHandler<M, R>> handler) {
        Sharing.check(group, Kind.SINGLETON, "single");
        KeyedActors<String, M, R> actors;
        try (var addition = groups.addition()) {
            requireNew(addition, group);
            actors = Single.actors(group, actor, handler);
            addition.add(new Shared(group, Optional.of(actors), actors::stop, () -> false, Optional.empty()),
                    actors::close);
        }
        Single.begin(actors);
        return actors;
    }

    @Override
    public <M, R> Recipient<M, R> workers(ClusterGroup<String, M, R> group, WorkerPool<M, R> pool) {
        Sharing.check(group, Kind.WORKERS, "workers");
        try (var addition = groups.addition()) {
            requireNew(addition, group);
            addition.add(new Shared(group, Optional.of(pool), pool::stop, () -> pool.onStopped().isDone(),
                    Optional.empty()));
            return pool;
        }
    }

    @Override
    public <M> Topic<M> topic(ClusterGroup<String, M, Void> group, TopicOptions options) {
        Sharing.check(group, Kind.TOPIC, "topic");
        try (var addition = groups.addition()) {
            requireNew(addition, group);
            var topic = Topic.<M>open(scope, group.name(), options);
            addition.add(new Shared(group, Optional.empty(), topic::stop, () -> topic.onStopped().isDone(),
                    Optional.empty()), topic::close);
            return topic;
        }
    }

    @Override
    @SuppressWarnings("unchecked") // the actors of this name, as for messages from other nodes
    public <K, M, R> Recipient<M, R> reach(ClusterGroup<K, M, R> group) {
        Sharing.checkReach(group);
        groups.requireMember(group);
        var found = groups.find(group).flatMap(Shared::recipient)
                .orElseThrow(() -> new ClusterException(
                        "The node '" + self.name() + "' is alone and shares no group '" + group.name()
                                + "'; share it first, or join a cluster that does"));
        groups.use(group);
        return (Recipient<M, R>) found;
    }

    @Override
    public Cancellable watch(Consumer<? super ClusterEvent> watcher) {
        var actor = Sharing.watching(self, groups.isLeaving(),
                () -> inner.anonymous().newActor((ClusterEvent event) -> watcher.accept(event)));
        actor.sendMessage(new ClusterEvent.Joined(self));
        return () -> {
            actor.sendPoisonPill();
            return true;
        };
    }

    @Override
    public long uncertain() {
        return 0;
    }

    @Override
    public long notUnderstood() {
        return 0;
    }

    @Override
    public boolean leave(Duration deadline) {
        var limit = Durations.boundedNanos(deadline, "deadline");
        if (!groups.beginLeave()) {
            return isInTime;
        }
        var end = scope.time().nanoTime() + limit;
        var isHandled = true;
        for (var each : groups.all().values()) {
            var report = each.stop().apply(Duration.ofNanos(Math.max(0, end - scope.time().nanoTime())));
            isHandled &= report.stopped() && !report.forced();
        }
        groups.all().clear();
        var unused = inner.stop(Leave.forWatchers(end - scope.time().nanoTime()));
        isInTime = isHandled;
        return isHandled;
    }

    @Override
    public void close() {
        var unused = leave(scope.closeTimeout());
    }

    @Override
    public String toString() {
        return "Cluster[" + self.name() + " alone]";
    }
}
