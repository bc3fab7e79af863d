package io.fibry.cluster;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.Recipient;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.keyed.SliceWork;
import io.fibry.keyed.KeyedActors;
import io.fibry.time.Cancellable;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A cluster of one node: what is shared is the scope's own. */
final class LoneCluster implements Cluster {
    private final ActorScope scope;
    private final int slices;
    private final ClusterNode self;
    private final Map<String, KeyedActors<?, ?, ?>> groups = new ConcurrentHashMap<>();
    private final Set<String> singletons = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean hasLeft = new AtomicBoolean();

    LoneCluster(ActorScope scope, ClusterOptions options) {
        this.scope = scope;
        slices = options.slices();
        self = new ClusterNode(UUID.randomUUID(), options.name());
    }

    /** Closes something with the scope. */
    <T extends AutoCloseable> T closing(T what) {
        scope.closeOnExit(what);
        return what;
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
    public boolean serves() {
        return !hasLeft.get() && !scope.isClosing();
    }

    @Override
    public List<GroupHomes> homes() {
        return groups.keySet().stream().sorted()
                .map(group -> new GroupHomes(group,
                        Collections.nCopies(singletons.contains(group) ? 1 : slices, Optional.of(self))))
                .toList();
    }

    @Override
    public <K> Optional<ClusterNode> homeOf(ClusterGroup<K, ?, ?> group, K key) {
        return groups.containsKey(group.name()) ? Optional.of(self) : Optional.empty();
    }

    @Override
    public <K, M, R> KeyedActors<K, M, R> share(ClusterGroup<K, M, R> group, KeyedActors<K, M, R> actors) {
        var keys = Sharing.check(group, actors);
        requireNew(group);
        if (groups.putIfAbsent(group.name(), actors) != null) {
            throw Sharing.taken(self, group);
        }
        keys.work().ifPresent(SliceWork::beginAlone);
        return actors;
    }

    private void requireNew(ClusterGroup<?, ?, ?> group) {
        // What cannot cross fails here as well, and not with the second node.
        var unused = new GroupCodec<>(group);
        if (hasLeft.get()) {
            throw Sharing.left(self, group);
        }
        if (groups.containsKey(group.name())) {
            throw Sharing.taken(self, group);
        }
    }

    @Override
    public <M, R> Recipient<M, R> singleton(ClusterGroup<String, M, R> group, ActorBuilder actor,
            Supplier<? extends ContextReplyHandler<M, R>> handler) {
        Sharing.checkSingle(group);
        requireNew(group);
        var actors = Single.actors(group, actor, handler);
        if (groups.putIfAbsent(group.name(), actors) != null) {
            actors.close();
            throw Sharing.taken(self, group);
        }
        singletons.add(group.name());
        Single.begin(actors);
        return actors;
    }

    @Override
    @SuppressWarnings("unchecked") // the actors of this name, as for messages from other nodes
    public <K, M, R> Recipient<M, R> reach(ClusterGroup<K, M, R> group) {
        if (hasLeft.get()) {
            throw Sharing.left(self, group);
        }
        var found = groups.get(group.name());
        if (found == null) {
            throw new ClusterException(
                    "The node '" + self.name() + "' is alone and shares no group '" + group.name()
                            + "'; share it first, or join a cluster that does");
        }
        return (KeyedActors<K, M, R>) found;
    }

    @Override
    public Cancellable watch(Consumer<? super ClusterEvent> watcher) {
        var actor = scope.anonymous().newActor(
                (ClusterEvent event) -> watcher.accept(event));
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
    public boolean leave(Duration deadline) {
        hasLeft.set(true);
        var end = scope.time().nanoTime() + deadline.toNanos();
        var isHandled = true;
        for (var each : groups.values()) {
            var report = each.stop(Duration.ofNanos(Math.max(0, end - scope.time().nanoTime())));
            isHandled &= report.stopped() && !report.forced();
        }
        groups.clear();
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
