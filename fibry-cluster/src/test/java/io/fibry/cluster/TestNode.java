package io.fibry.cluster;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.function.ContextReplyHandler;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** A node in this process. */
final class TestNode implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(50);
    static final int SLICES = 16;

    final ActorScope scope;
    final ClusterEngine engine;
    final Cluster cluster;
    final ConcurrentLinkedQueue<ClusterEvent> events = new ConcurrentLinkedQueue<>();
    boolean isDead;

    TestNode(String name, ClusterEngine engine) {
        this(ActorSystem.open(name), ClusterOptions.on(name, engine).slices(SLICES).askLimit(LIMIT));
    }

    TestNode(ActorScope scope, ClusterOptions options) {
        this.scope = scope;
        this.engine = options.engine().orElseThrow();
        cluster = Cluster.open(scope, options);
        cluster.watch(events::add);
    }

    <K, M, R> KeyedActors<K, M, R> share(ClusterGroup<K, M, R> group,
            Function<? super K, ? extends ContextReplyHandler<M, R>> handlers) {
        return cluster.share(group,
                scope.named(group.name()).keyed(group.keyOf()).newActorsWithReturnFrom(handlers));
    }

    <E> List<E> events(Class<E> type) {
        var found = new ArrayList<E>();
        events.forEach(event -> {
            if (type.isInstance(event)) {
                found.add(type.cast(event));
            }
        });
        return found;
    }

    @Override
    public void close() {
        if (isDead) {
            cluster.leave(Duration.ofNanos(1));
        }
        cluster.close();
        scope.close();
    }
}
