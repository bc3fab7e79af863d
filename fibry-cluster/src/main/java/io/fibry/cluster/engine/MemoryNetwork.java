package io.fibry.cluster.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A network of nodes within one process, without sockets: for tests of programs that run on many nodes. Nodes can be cut off, and killed.
 *
 * <p>The majority is that of the nodes that have joined and not left. Thread-safe; all happens under one lock, so
 * that views, changes and messages have one order.
 */
public final class MemoryNetwork {
    /** Guards nodes, views and tables. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Map<String, byte[]>> tables = new HashMap<>();
    /** The nodes that have joined and have neither left nor died, in the order in which they joined; by incarnation. */
    private final Map<UUID, MemoryEngine> joined = new LinkedHashMap<>();
    private long views;

    /** Makes a network without nodes. */
    public MemoryNetwork() {
    }

    /**
     * Makes an engine of one more node, which joins when it is started.
     *
     * @return the engine
     */
    public ClusterEngine node() {
        return new MemoryEngine(this);
    }

    /**
     * Cuts a node off: it sees itself alone, and no majority, until {@link #heal}.
     *
     * @param engine an engine of this network that has joined
     */
    public void cut(ClusterEngine engine) {
        locked(() -> {
            mine(engine).isCut = true;
            tellViews(Set.of());
        });
    }

    /** Connects all nodes that were cut off. */
    public void heal() {
        locked(() -> {
            joined.values().forEach(each -> each.isCut = false);
            tellViews(Set.of());
        });
    }

    /**
     * Lets a node die: others take it for lost, and it is told nothing. Its scope should be closed soon.
     *
     * @param engine an engine of this network that has joined
     */
    public void kill(ClusterEngine engine) {
        locked(() -> gone(mine(engine), false));
    }

    private MemoryEngine mine(ClusterEngine engine) {
        if (engine instanceof MemoryEngine memory && memory.network == this) {
            return memory;
        }
        throw new IllegalArgumentException("this engine was not made by this network: " + engine);
    }

    private void locked(Runnable code) {
        lock.lock();
        try {
            code.run();
        } finally {
            lock.unlock();
        }
    }

    // ---- Under the lock. ----

    private void gone(MemoryEngine engine, boolean hasLeft) {
        if (joined.values().remove(engine)) {
            engine.view = new ClusterEngine.View(++views, List.of(), false);
            tellViews(hasLeft ? Set.of(engine.info().incarnation()) : Set.of());
        }
    }

    /** Tells each node its view. Nodes that are cut off come first, since they stop serving before other nodes take over. */
    private void tellViews(Set<UUID> left) {
        views++;
        var connected = joined.values().stream().filter(each -> !each.isCut).map(MemoryEngine::info).toList();
        var isMajority = connected.size() * 2 > joined.size();
        for (var each : List.copyOf(joined.values())) {
            if (each.isCut && (each.view.majority() || each.view.members().size() > 1)) {
                each.see(new ClusterEngine.View(views, List.of(each.info()), false), Set.of());
            }
        }
        for (var each : List.copyOf(joined.values())) {
            if (!each.isCut) {
                each.see(new ClusterEngine.View(views, connected, isMajority), left);
            }
        }
    }

    private boolean connects(MemoryEngine from, MemoryEngine to) {
        return joined.containsValue(from) && (from == to || (!from.isCut && !to.isCut));
    }

    private static final class MemoryEngine implements ClusterEngine {
        private final MemoryNetwork network;
        private final NotUnderstood notUnderstood = new NotUnderstood();
        private @Nullable NodeInfo info;
        private @Nullable EngineListener listener;
        private boolean isCut;
        private boolean isOver;
        /** Written under the lock. */
        private volatile View view = new View(0, List.of(), false);

        MemoryEngine(MemoryNetwork network) {
            this.network = network;
        }

        NodeInfo info() {
            return Objects.requireNonNull(info, "the engine has not started");
        }

        private void see(View next, Set<UUID> left) {
            view = next;
            if (listener != null) {
                listener.viewChanged(next, left);
            }
        }

        @Override
        public View start(NodeInfo self, EngineListener told) {
            network.locked(() -> {
                if (info != null || isOver) {
                    throw new IllegalStateException(
                            "this engine was started or closed before: make a new one");
                }
                info = self;
                listener = told;
                network.joined.put(self.incarnation(), this);
                network.tellViews(Set.of());
            });
            return view;
        }

        @Override
        public View view() {
            return view;
        }

        @Override
        public boolean send(UUID node, ByteBuffer bytes) {
            network.lock.lock();
            try {
                var to = network.joined.get(node);
                if (to == null || !network.connects(this, to) || to.listener == null) {
                    return false;
                }
                to.listener.received(info().incarnation(), bytes.asReadOnlyBuffer());
                return true;
            } finally {
                network.lock.unlock();
            }
        }

        private void requireMajority() {
            if (!view.majority()) {
                throw new NotServedException(
                        "this node does not see the majority: heal the network, or start more nodes");
            }
        }

        @Override
        public List<Outcome> change(List<Change> changes) {
            network.lock.lock();
            try {
                requireMajority();
                return changes.stream().map(this::change).toList();
            } finally {
                network.lock.unlock();
            }
        }

        private Outcome change(Change change) {
            var entries = network.tables.computeIfAbsent(change.table(), missing -> new TreeMap<>());
            if (!Arrays.equals(entries.get(change.key()), change.expected())) {
                return Outcome.REFUSED;
            }
            var next = change.next();
            if (next == null) {
                entries.remove(change.key());
            } else {
                entries.put(change.key(), next.clone());
            }
            for (var each : network.joined.values()) {
                if (each.view.majority() && each.listener != null) {
                    each.listener.entryChanged(change.table(), change.key(), next);
                }
            }
            return Outcome.DONE;
        }

        @Override
        public byte @Nullable [] get(String table, String key) {
            network.lock.lock();
            try {
                requireMajority();
                var value = network.tables.getOrDefault(table, Map.of()).get(key);
                return value == null ? null : value.clone();
            } finally {
                network.lock.unlock();
            }
        }

        @Override
        public Map<String, byte[]> all(String table) {
            network.lock.lock();
            try {
                requireMajority();
                return network.tables.getOrDefault(table, Map.of()).entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().clone()));
            } finally {
                network.lock.unlock();
            }
        }

        @Override
        public NotUnderstood notUnderstood() {
            return notUnderstood;
        }

        @Override
        public boolean leave(Duration deadline) {
            network.locked(() -> {
                isOver = true;
                if (info != null) {
                    network.gone(this, true);
                }
            });
            return true;
        }

        @Override
        public void close() {
            network.locked(() -> {
                isOver = true;
                if (info != null) {
                    network.gone(this, false);
                }
            });
        }
    }
}
