package io.fibry.cluster;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.Recipient;
import io.fibry.StopReport;
import io.fibry.cluster.ClusterGroup.Kind;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.internal.keyed.SliceWork;
import io.fibry.internal.scope.ScopeSpec;
import io.fibry.keyed.KeyedActors;
import io.fibry.pool.WorkerPool;
import io.fibry.time.Cancellable;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** A cluster of one node: what is shared is the scope's own. */
final class LoneCluster implements Cluster {
    private final ActorScope scope;
    /** Of the watchers. They wait neither for a thread nor for a place of the program's scope. */
    private final ActorScope inner;
    private final int slices;
    private final ClusterNode self;
    private final Map<String, Shared> groups = new ConcurrentHashMap<>();
    private final NamesOfGroups names = new NamesOfGroups();
    private final BeginOfLeave leave = new BeginOfLeave();
    /** It only becomes true; until then a second leave returns false. Set by the thread that leaves. */
    private volatile boolean isInTime;

    /** What is shared, in so many slices. */
    private record Shared(Optional<Recipient<?, ?>> recipient, int slices,
            Function<Duration, StopReport> stop, BooleanSupplier isOver) {
        boolean hasHomes() {
            return slices > 0 && !isOver.getAsBoolean();
        }

        boolean isEnding() {
            return recipient.filter(KeyedActors.class::isInstance).map(KeyedActors.class::cast)
                    .flatMap(SharedKeys::of).filter(SharedKeys::isStopping).isPresent();
        }
    }

    LoneCluster(ActorScope scope, ClusterOptions options) {
        this.scope = scope;
        inner = ScopeSpec.serving(scope, "cluster", CreationStrategy.fibers()).open();
        slices = options.slices();
        self = new ClusterNode(UUID.randomUUID(), options.name(), true);
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
        return !leave.isBegun() && !scope.isClosing();
    }

    @Override
    public List<GroupHomes> homes() {
        return groups.entrySet().stream().filter(group -> group.getValue().hasHomes())
                .sorted(Map.Entry.comparingByKey())
                .map(group -> new GroupHomes(group.getKey(),
                        Collections.nCopies(group.getValue().slices, Optional.of(self))))
                .toList();
    }

    @Override
    public <K> Optional<ClusterNode> homeOf(ClusterGroup<K, ?, ?> group, K key) {
        var shared = groups.get(group.name());
        return shared != null && shared.hasHomes() ? Optional.of(self) : Optional.empty();
    }

    @Override
    public <K, M, R> KeyedActors<K, M, R> share(ClusterGroup<K, M, R> group, KeyedActors<K, M, R> actors) {
        var keys = Sharing.check(group, actors);
        var shared = leave.before(() -> shareNow(group, actors, keys));
        keys.work().ifPresent(SliceWork::beginAlone);
        return shared;
    }

    private <K, M, R> KeyedActors<K, M, R> shareNow(ClusterGroup<K, M, R> group, KeyedActors<K, M, R> actors,
            SharedKeys keys) {
        requireNew(group);
        Sharing.take(keys, group, actors);
        if (!take(group, Optional.of(actors), actors::stop, keys::hasEnded)) {
            keys.giveBack();
            throw taken(group);
        }
        return actors;
    }

    private boolean take(ClusterGroup<?, ?, ?> group, Optional<Recipient<?, ?>> recipient,
            Function<Duration, StopReport> stop, BooleanSupplier isOver) {
        var shared = new Shared(recipient, group.slices(slices), stop, isOver);
        return groups.compute(group.name(),
                (name, before) -> before == null || before.isOver.getAsBoolean() ? shared : before) == shared;
    }

    private ClusterException taken(ClusterGroup<?, ?, ?> group) {
        var before = groups.get(group.name());
        return before != null && before.isEnding() ? Sharing.ending(self, group) : Sharing.taken(self, group);
    }

    private void requireNew(ClusterGroup<?, ?, ?> group) {
        // What cannot cross fails here as well, and not with the second node.
        var unused = new GroupCodec<>(group);
        if (leave.isBegun()) {
            throw Sharing.left(self, group);
        }
        var before = groups.get(group.name());
        if (before != null && !before.isOver.getAsBoolean()) {
            throw taken(group);
        }
        names.use(self, group);
    }

    @Override
    public <M, R> Recipient<M, R> singleton(ClusterGroup<String, M, R> group, ActorBuilder actor,
            Supplier<? extends ContextReplyHandler<M, R>> handler) {
        var actors = leave.before(() -> singletonNow(group, actor, handler));
        Single.begin(actors);
        return actors;
    }

    private <M, R> KeyedActors<String, M, R> singletonNow(ClusterGroup<String, M, R> group,
            ActorBuilder actor,
            Supplier<? extends ContextReplyHandler<M, R>> handler) {
        Sharing.check(group, Kind.SINGLETON, "single");
        requireNew(group);
        var actors = Single.actors(group, actor, handler);
        if (!take(group, Optional.of(actors), actors::stop, () -> false)) {
            actors.close();
            throw taken(group);
        }
        return actors;
    }

    @Override
    public <M, R> Recipient<M, R> workers(ClusterGroup<String, M, R> group, WorkerPool<M, R> pool) {
        return leave.before(() -> workersNow(group, pool));
    }

    private <M, R> Recipient<M, R> workersNow(ClusterGroup<String, M, R> group, WorkerPool<M, R> pool) {
        Sharing.check(group, Kind.WORKERS, "workers");
        requireNew(group);
        if (!take(group, Optional.of(pool), pool::stop, () -> pool.onStopped().isDone())) {
            throw taken(group);
        }
        return pool;
    }

    @Override
    public <M> Topic<M> topic(ClusterGroup<String, M, Void> group, TopicOptions options) {
        return leave.before(() -> topicNow(group, options));
    }

    private <M> Topic<M> topicNow(ClusterGroup<String, M, Void> group, TopicOptions options) {
        Sharing.check(group, Kind.TOPIC, "topic");
        requireNew(group);
        var topic = Topic.<M>open(scope, group.name(), options);
        if (!take(group, Optional.empty(), topic::stop, () -> topic.onStopped().isDone())) {
            topic.close();
            throw taken(group);
        }
        return topic;
    }

    @Override
    @SuppressWarnings("unchecked") // the actors of this name, as for messages from other nodes
    public <K, M, R> Recipient<M, R> reach(ClusterGroup<K, M, R> group) {
        Sharing.checkReach(group);
        if (leave.isBegun()) {
            throw Sharing.left(self, group);
        }
        var found = groups.get(group.name());
        if (found == null || found.isOver.getAsBoolean() || found.recipient.isEmpty()) {
            throw new ClusterException(
                    "The node '" + self.name() + "' is alone and shares no group '" + group.name()
                            + "'; share it first, or join a cluster that does");
        }
        names.use(self, group);
        return (Recipient<M, R>) found.recipient.get();
    }

    @Override
    public Cancellable watch(Consumer<? super ClusterEvent> watcher) {
        var actor = Sharing.watching(self, leave.isBegun(),
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
        if (!leave.begin()) {
            return isInTime;
        }
        var end = scope.time().nanoTime() + limit;
        var isHandled = true;
        for (var each : groups.values()) {
            var report = each.stop.apply(Duration.ofNanos(Math.max(0, end - scope.time().nanoTime())));
            isHandled &= report.stopped() && !report.forced();
        }
        groups.clear();
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
