package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.EngineListener;
import io.fibry.cluster.engine.NotServedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.global.ShutdownHookBehavior;
import org.infinispan.configuration.parsing.ConfigurationBuilderHolder;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.partitionhandling.PartitionHandling;
import org.infinispan.remoting.transport.Address;
import org.infinispan.remoting.transport.jgroups.JGroupsTransport;
import org.jgroups.JChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster on Infinispan and JGroups. The tables are one replicated cache that refuses reads and writes in a minority; messages go over a
 * channel that is forked from the cache's. Only strings and bytes are given to Infinispan, and nothing is serialized by Java.
 *
 * <p>Thread-safe. What a thread does before {@link #send} or {@link #compareAndSet} happens-before the listener is told.
 */
public final class InfinispanEngine implements ClusterEngine {
    private static final Logger LOGGER = LoggerFactory.getLogger(InfinispanEngine.class);
    static final String NODES = "";
    private static final String TURN = Entries.name("\1", "turn");

    private final InfinispanSettings settings;
    private final ExecutorService clerk;
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final AtomicBoolean isLookDue = new AtomicBoolean();
    private final CompletableFuture<Wire> wires = new CompletableFuture<>();
    private final CompletableFuture<Joined> joined = new CompletableFuture<>();
    private volatile CompletableFuture<Void> nextLook = new CompletableFuture<>();
    private volatile Sight sight = new Sight(new View(0, List.of(), false), Map.of());

    // Of the clerk alone.
    private final Map<String, byte[]> told = new HashMap<>();
    private final Map<UUID, NodeRow> rows = new ConcurrentHashMap<>();
    /** How often others had gone on without this node when a view was told last. */
    private int absences;

    /** What is there after the start. */
    record Joined(DefaultCacheManager manager, Entries entries, NodeRow self, EngineListener listener,
            Upkeep upkeep) {}

    /** A view, and where its members are. */
    private record Sight(View view, Map<UUID, Address> addresses) {}

    /**
     * Makes an engine that has not joined yet.
     *
     * @param settings where it listens, and where it looks for others
     */
    public InfinispanEngine(InfinispanSettings settings) {
        this.settings = Objects.requireNonNull(settings, "settings");
        clerk = single("clerk");
    }

    private ExecutorService single(String role) {
        return Executors.newSingleThreadExecutor(
                Thread.ofVirtual().name("fibry-" + role + "-" + settings.port()).factory());
    }

    @Override
    public View start(NodeInfo self, EngineListener listener) throws Exception {
        Objects.requireNonNull(self, "self");
        Objects.requireNonNull(listener, "listener");
        if (!isStarted.compareAndSet(false, true) || isClosed.get()) {
            throw new IllegalStateException("this engine was started or closed before: make a new one");
        }
        try {
            join(self, listener);
            if (!await(settings.joinLimit(), () -> sight.view.majority() && synced())) {
                throw new TimeoutException("not joined after " + settings.joinLimit() + ": the view is "
                        + joined.join().manager.getMembers() + ", a majority is "
                        + (joined.join().entries.isAvailable() ? "there" : "missing"));
            }
            return sight.view;
        } catch (Exception | Error failed) {
            close();
            throw failed;
        }
    }

    private void join(NodeInfo self, EngineListener listener) throws Exception {
        var all = new ConfigurationBuilderHolder();
        var global = all.getGlobalConfigurationBuilder().clusteredDefault();
        global.transport().clusterName(settings.cluster()).nodeName(settings.host() + ":" + settings.port())
                .initialClusterSize(settings.minimum())
                .initialClusterTimeout(settings.joinLimit().toMillis(), TimeUnit.MILLISECONDS)
                // A tenth of it is how long the coordinator waits for one that it does not know to be lost, before it looks at the next view.
                .distributedSyncTimeout(40, TimeUnit.SECONDS)
                .addProperty(JGroupsTransport.CHANNEL_CONFIGURATOR,
                        Stack.of(settings,
                                channel -> channel.addChannelListener(
                                        new Wire.Opener(settings, self, listener, this))));
        global.metrics().gauges(false).histograms(false);
        global.jmx().disable();
        global.shutdown().hookBehavior(ShutdownHookBehavior.DONT_REGISTER);
        // Before the manager starts: a coordinator that does not know this yet would let a minority serve.
        var tables = all.newConfigurationBuilder("fibry");
        var patience = settings.detection().multipliedBy(2).plusSeconds(3).toMillis();
        tables.clustering().cacheMode(CacheMode.REPL_SYNC)
                // Infinispan must not give up while a silent member is still one: what was sent to it could overtake what comes later.
                .remoteTimeout(patience, TimeUnit.MILLISECONDS);
        tables.clustering().partitionHandling().whenSplit(PartitionHandling.DENY_READ_WRITES);
        tables.clustering().stateTransfer().timeout(patience + settings.joinLimit().toMillis(),
                TimeUnit.MILLISECONDS);

        var manager = new DefaultCacheManager(all, false);
        try {
            manager.start();
            var cache = manager.<String, byte[]>getCache("fibry").getAdvancedCache();
            joined.complete(new Joined(manager, new Entries(cache, settings.limit().toNanos()),
                    new NodeRow(self, false, settings.host(), settings.port()), listener,
                    new Upkeep(this, settings, single("upkeep"))));
            cache.addListener(new CacheEvents(this::entryChanged, this::look));
            manager.addListener(new CacheEvents.Views(this::look, () -> {
                joined.join().upkeep.merged();
                look();
            }));
            look();
        } catch (Exception | Error failed) {
            if (!joined.isDone()) {
                manager.stop();
            }
            throw failed;
        }
    }

    /** The channel below, for tests that cut it. */
    JChannel channel() {
        return wires.join().channel();
    }

    boolean isClosed() {
        return isClosed.get();
    }

    /** Completed when this node has joined. */
    CompletableFuture<Joined> joined() {
        return joined;
    }

    /** Completed when the channel is connected. */
    CompletableFuture<Wire> wires() {
        return wires;
    }

    /** What is known about a node that is there or was there. */
    Optional<NodeRow> row(UUID node) {
        return Optional.ofNullable(rows.get(node));
    }

    Entries entries() {
        if (!joined.isDone() || isClosed.get()) {
            throw new NotServedException("this engine is " + (isClosed.get() ? "closed" : "not started"));
        }
        return joined.join().entries;
    }

    @Override
    public View view() {
        return sight.view;
    }

    @Override
    public boolean send(UUID node, ByteBuffer bytes) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        var to = sight.addresses.get(node);
        if (to == null || isClosed.get()) {
            return false;
        }
        return wires.join().send(Wire.MESSAGE, Address.toExtendedUUID(to), bytes);
    }

    @Override
    public Outcome compareAndSet(String table, String key, byte @Nullable [] expected,
            byte @Nullable [] next) {
        if (expected == null && next == null) {
            throw new IllegalArgumentException("expected and next are null: give at least one of them");
        }
        return change(named(table, key), expected, next);
    }

    Outcome change(String name, byte @Nullable [] expected, byte @Nullable [] next) {
        var entries = entries();
        var quorum = wires.join().quorum();
        if (!quorum.isLikely()) {
            throw new NotServedException(
                    "this node does not see the majority of the cluster: wait until it is back");
        }
        var end = System.nanoTime() + settings.limit().toNanos();
        var outcome = entries.compareAndSet(name, expected, next);
        if (outcome == Outcome.DONE
                && !await(left(end), () -> quorum.settled().isDone() && quorum.isMostOf(entries.holders()))) {
            outcome = Outcome.UNKNOWN;
        }
        if (outcome == Outcome.UNKNOWN && !isClosed.get()) {
            joined.join().upkeep.doubt(name);
        }
        return outcome;
    }

    @Override
    public byte @Nullable [] get(String table, String key) {
        var value = entries().get(named(table, key));
        return value == null ? null : value.clone();
    }

    @Override
    public Map<String, byte[]> all(String table) {
        return entries().all(named(table, "").substring(0, table.length()));
    }

    private static String named(String table, String key) {
        if (table.isEmpty() || table.charAt(0) == '\1') {
            throw new IllegalArgumentException("a table needs a name, and no control character in front");
        }
        return Entries.name(table, key);
    }

    @Override
    public boolean synced() {
        if (!joined.isDone() || isClosed.get()) {
            return false;
        }
        var settled = wires.join().quorum().settled();
        return settled.isDone() && joined.join().entries.isSettled(settled.join());
    }

    @Override
    public boolean leave(Duration deadline) {
        if (isClosed.get() || !joined.isDone()) {
            return false;
        }
        var end = System.nanoTime() + deadline.toNanos();
        var me = joined.join();
        var mine = me.self.node().incarnation().toString().getBytes(StandardCharsets.US_ASCII);
        // One at a time: the next one leaves when the rest is a majority without this one.
        if (!await(left(end), () -> takeTurn(mine)) || !await(left(end), this::synced)) {
            return false;
        }
        me.upkeep.rest();
        try {
            var name = Upkeep.rowName(me.manager.getAddress());
            var row = me.entries.get(name);
            return row != null && change(name, row, me.self.leaving().bytes()) == Outcome.DONE;
        } catch (NotServedException minority) {
            LOGGER.warn("The goodbye of {}:{} was not heard", settings.host(), settings.port(), minority);
            return false;
        } finally {
            close();
        }
    }

    private boolean takeTurn(byte[] mine) {
        try {
            var entries = entries();
            var holder = entries.get(TURN);
            if (holder != null && !Arrays.equals(holder, mine)
                    && sight.addresses
                            .containsKey(UUID.fromString(new String(holder, StandardCharsets.US_ASCII)))) {
                return false;
            }
            return Arrays.equals(holder, mine) || change(TURN, holder, mine) == Outcome.DONE;
        } catch (NotServedException minority) {
            return false;
        }
    }

    private static Duration left(long end) {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /** Waits for a condition, which is checked again after each change. */
    private boolean await(Duration limit, BooleanSupplier condition) {
        var end = System.nanoTime() + limit.toNanos();
        while (true) {
            var next = nextLook;
            if (condition.getAsBoolean()) {
                return true;
            }
            if (isClosed.get() || end - System.nanoTime() <= 0) {
                return false;
            }
            try {
                next.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException over) {
                return condition.getAsBoolean();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return false;
            } catch (ExecutionException never) {
                throw new IllegalStateException(never);
            }
        }
    }

    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        clerk.shutdownNow();
        nextLook.complete(null);
        sight = new Sight(new View(sight.view.number(), List.of(), false), Map.of());
        if (joined.isDone()) {
            var me = joined.join();
            wires.join().close();
            me.upkeep.close();
            me.manager.stop();
        }
    }

    private void onClerk(Runnable task) {
        submit(clerk, task);
    }

    void submit(ExecutorService to, Runnable task) {
        try {
            to.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException failed) {
                    if (!isClosed.get()) {
                        LOGGER.error("The engine of {}:{} could not follow a change", settings.host(),
                                settings.port(), failed);
                    }
                }
            });
        } catch (RejectedExecutionException closed) {
            LOGGER.trace("A change after the end of the engine of {}:{}", settings.host(), settings.port(),
                    closed);
        }
    }

    /** Looks at everything again soon. */
    void look() {
        if (joined.isDone() && isLookDue.compareAndSet(false, true)) {
            onClerk(() -> {
                isLookDue.set(false);
                tellAll();
                tellView();
                var seen = nextLook;
                nextLook = new CompletableFuture<>();
                seen.complete(null);
                joined.join().upkeep.tidySoon();
            });
        }
    }

    /** Called before the change is acknowledged, so a goodbye is known before its node is missing. */
    private void entryChanged(String name, byte @Nullable [] value) {
        if (value != null && Entries.table(name).equals(NODES) && NodeRow.of(value).isLeaving()) {
            wires.join().quorum().saidGoodbye(UUID.fromString(Entries.key(name)));
        }
        onClerk(() -> tell(name));
    }

    private void tellAll() {
        var me = joined.join();
        if (me.entries.isAvailable()) {
            try {
                var names = me.entries.names();
                names.addAll(told.keySet());
                names.forEach(this::tell);
            } catch (NotServedException cut) {
                LOGGER.debug("Cut off while looking", cut);
            }
        }
    }

    private void tell(String name) {
        var me = joined.join();
        byte @Nullable [] value;
        try {
            value = me.entries.get(name);
        } catch (NotServedException later) {
            LOGGER.trace("{} is checked when a majority is back", name, later);
            return;
        }
        if (Arrays.equals(told.get(name), value)) {
            return;
        }
        if (value == null) {
            told.remove(name);
        } else {
            told.put(name, value);
        }
        if (Entries.table(name).equals(NODES)) {
            if (value != null) {
                rows.put(UUID.fromString(Entries.key(name)), NodeRow.of(value));
            }
            look();
        } else if (name.equals(TURN)) {
            look();
        } else {
            call(() -> me.listener.entryChanged(Entries.table(name), Entries.key(name),
                    value == null ? null : value.clone()));
        }
    }

    /**
     * Tells who is there. A view with a majority is told when it is settled, by its number and with all of its members: so all nodes are told
     * the same. While it is likely that one will be settled, the view before stays. After a view without a majority, and when others
     * have gone on without this node, the tables come first.
     */
    private void tellView() {
        var me = joined.join();
        var quorum = wires.join().quorum();
        var settled = quorum.settledView().filter(view -> me.entries.isAvailable());
        if (settled.isEmpty()) {
            if (!me.entries.isAvailable() || !quorum.isLikely()) {
                tellMinority(me);
            }
            return;
        }
        var view = settled.orElseThrow();
        if (sight.view.majority() && view.absences() > absences) {
            tellMinority(me);
        }
        var found = new LinkedHashMap<UUID, Address>();
        var members = new ArrayList<NodeInfo>();
        for (var address : me.manager.getMembers()) {
            var row = rows.get(address.getNodeUUID());
            if (row != null && view.members().contains(address.getNodeUUID())) {
                found.put(row.node().incarnation(), address);
                members.add(row.node());
            }
        }
        // A row that is missing comes soon: its node writes it, and this is looked at again.
        if (members.size() == view.members().size()
                && (sight.view.majority() || me.entries.isSettled(view.members()))
                && !(sight.view.majority() && sight.view.number() == view.number())) {
            absences = view.absences();
            tellView(me, new View(view.number(), List.copyOf(members), true), found);
        }
    }

    private void tellMinority(Joined me) {
        if (!sight.view.majority()) {
            return;
        }
        var addresses = new LinkedHashMap<UUID, Address>();
        var members = new ArrayList<NodeInfo>();
        for (var address : me.manager.getMembers()) {
            var row = rows.get(address.getNodeUUID());
            if (row != null) {
                addresses.put(row.node().incarnation(), address);
                members.add(row.node());
            }
        }
        tellView(me, new View(sight.view.number(), List.copyOf(members), false), addresses);
    }

    private void tellView(Joined me, View view, Map<UUID, Address> addresses) {
        var before = sight;
        sight = new Sight(view, Map.copyOf(addresses));
        var left = new HashSet<UUID>();
        before.addresses.forEach((incarnation, address) -> {
            var row = rows.get(address.getNodeUUID());
            if (!addresses.containsKey(incarnation) && row != null && row.isLeaving()) {
                left.add(incarnation);
            }
        });
        call(() -> me.listener.viewChanged(view, Set.copyOf(left)));
        rows.keySet().removeIf(each -> !told.containsKey(Entries.name(NODES, each.toString()))
                && addresses.values().stream().noneMatch(address -> address.getNodeUUID().equals(each)));
    }

    private void call(Runnable report) {
        try {
            report.run();
        } catch (RuntimeException failed) {
            LOGGER.error("The listener of the engine of {}:{} failed", settings.host(), settings.port(),
                    failed);
        }
    }
}
