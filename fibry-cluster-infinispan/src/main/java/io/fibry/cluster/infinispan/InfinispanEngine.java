package io.fibry.cluster.infinispan;

import io.fibry.cluster.ClusterException;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.EngineListener;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.cluster.engine.NotUnderstood;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
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
    /** The table of nodes. */
    static final String NODES = "";
    /** The entry that names the node whose turn it is to leave. */
    static final String TURN = Entries.name("\1", "turn");

    private final ExecutorService clerk;
    private final AtomicBoolean isStarted = new AtomicBoolean();
    /**
     * Set before the closing thread looks at {@link #joined}; the joining thread completes that and then reads
     * this.
     */
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final AtomicBoolean isStopped = new AtomicBoolean();
    /** Cleared before the clerk reads, so what comes later asks for another run. */
    private final AtomicBoolean isLookDue = new AtomicBoolean();
    private final CompletableFuture<Wire> wires = new CompletableFuture<>();
    private final CompletableFuture<Joined> joined = new CompletableFuture<>();
    /** Written by the clerk. A thread takes the future before it looks, so it misses no change after that. */
    private volatile CompletableFuture<Void> nextLook = new CompletableFuture<>();
    /**
     * From the start on they have the port that this node listens on. Set by the thread that starts the engine,
     * before it joins.
     */
    private volatile InfinispanSettings settings;
    private final NotUnderstood notUnderstood = new NotUnderstood();
    private final Reports reports;

    /** What is there after the start. */
    record Joined(DefaultCacheManager manager, Entries entries, NodeRow self, EngineListener listener,
            Upkeep upkeep, Reconciliation reconciliation, RoundCheck rounds, Pulse pulse) {}

    /**
     * Makes an engine that has not joined yet.
     *
     * @param settings where it listens, and where it looks for others
     */
    public InfinispanEngine(InfinispanSettings settings) {
        this.settings = Objects.requireNonNull(settings, "settings");
        clerk = single("clerk");
        reports = new Reports(this);
    }

    private ExecutorService single(String role) {
        return Executors.newSingleThreadExecutor(
                Thread.ofVirtual().name("fibry-" + role + "-" + settings.node().port()).factory());
    }

    @Override
    public View start(NodeInfo self, EngineListener listener) throws Exception {
        Objects.requireNonNull(self, "self");
        Objects.requireNonNull(listener, "listener");
        if (!isStarted.compareAndSet(false, true) || isClosed.get()) {
            throw new IllegalStateException("this engine was started or closed before: make a new one");
        }
        try {
            settings.node().requireSafe();
            joinOnFreePort(self, listener);
            if (!await(settings.joinLimit(), () -> view().majority() && synced())) {
                throw new TimeoutException(
                        "it has not joined after " + settings.joinLimit() + ": the view is "
                                + joined.join().manager.getMembers() + ", a majority is "
                                + (joined.join().entries.isAvailable() ? "there" : "missing") + " ("
                                + state() + "); "
                                + Diagnosis.of(settings).text());
            }
            return view();
        } catch (Exception | Error failed) {
            close();
            throw failed;
        }
    }

    /** Another process may take a port at any time before this one has it, so each is tried. */
    private void joinOnFreePort(NodeInfo self, EngineListener listener) throws Exception {
        var ports = settings.node().ports();
        var address = InetAddress.getByName(settings.node().host());
        for (var port : ports) {
            settings = settings.node(settings.node().port(port));
            var begin = System.nanoTime();
            try {
                // Infinispan writes pages of errors when it finds a port that is taken.
                new ServerSocket(port, 1, address).close();
                requireSecondPort(port, address);
                join(self, listener);
                return;
            } catch (Exception failed) {
                if (!isBindFailure(failed)) {
                    if (System.nanoTime() - begin < settings.joinLimit().toNanos()) {
                        throw failed;
                    }
                    throw new ClusterException("too few of the " + settings.node().minimum()
                            + " nodes that must meet were there within " + settings.joinLimit() + ": "
                            + Diagnosis.of(settings).text(), failed);
                }
                LOGGER.debug("Port {} is taken", port, failed);
            }
        }
        throw new ClusterException(
                address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null
                        ? "port " + String.join(", ", ports.stream().map(String::valueOf).toList()) + " of "
                                + settings.node().host()
                                + " is taken by another process: end it, or give this node another port (FIBRY_PORT), on all nodes the same list of hosts"
                        : settings.node().host()
                                + " is no address of this machine: give one that it has as host (FIBRY_HOST)");
    }

    private void requireSecondPort(int port, InetAddress address) throws IOException {
        var seconds = Stack.secondPorts(settings.node(), port);
        for (var second : seconds) {
            try {
                new ServerSocket(second, 1, address).close();
                return;
            } catch (BindException taken) {
                LOGGER.debug("Port {} is taken", second, taken);
            }
        }
        if (!seconds.isEmpty()) {
            throw new ClusterException("all ports from " + seconds.getFirst() + " to " + seconds.getLast()
                    + " of "
                    + settings.node().host()
                    + " are taken, and this node needs one of them beside its port " + port
                    + ", so that others notice when its process has died: end a process that listens there, or give this node another port (FIBRY_PORT), on all nodes the same list of hosts");
        }
    }

    private static boolean isBindFailure(Throwable failed) {
        for (@Nullable Throwable each = failed; each != null; each = each.getCause()) {
            if (each instanceof BindException) {
                return true;
            }
        }
        return false;
    }

    private void join(NodeInfo self, EngineListener listener) throws Exception {
        LOGGER.info("This node listens on {} and looks for others; {} must meet", settings.address(),
                settings.node().minimum());
        var made = new ConcurrentLinkedQueue<JChannel>();
        var all = new ConfigurationBuilderHolder();
        var global = all.getGlobalConfigurationBuilder().clusteredDefault();
        global.transport().clusterName(settings.node().cluster()).nodeName(settings.address())
                .initialClusterSize(settings.node().minimum())
                .initialClusterTimeout(settings.joinLimit().toMillis(), TimeUnit.MILLISECONDS)
                // A tenth of it is how long the coordinator waits for one that it does not know to be lost, before it looks at the next view.
                .distributedSyncTimeout(40, TimeUnit.SECONDS)
                .addProperty(JGroupsTransport.CHANNEL_CONFIGURATOR,
                        Stack.of(settings, notUnderstood, channel -> {
                            made.add(channel);
                            channel.addChannelListener(
                                    new Wire.Opener(settings, self, listener, this, notUnderstood));
                        }));
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
            var wire = wires.join();
            var reconciliation = new Reconciliation(this, single("reconciliation"), new SplittableRandom(),
                    (to, bytes) -> wire.sendToMember(Wire.TABLES, to, bytes));
            // Before another member can say anything that this one acts on: no change may be missed.
            cache.addListener(new CacheEvents(
                    (name, stored) -> entryChanged(reconciliation, wire, name, stored), this::look));
            joined.complete(new Joined(manager, new Entries(cache),
                    new NodeRow(self, false, settings.node().host(), settings.node().port()), listener,
                    new Upkeep(this, settings, single("upkeep")), reconciliation,
                    new RoundCheck(wire.id(), reconciliation::whole, reconciliation::isFollowing,
                            (to, bytes) -> wire.sendToMember(Wire.ROUND, to, bytes)),
                    new Pulse("fibry-pulse-" + settings.node().port(),
                            settings.detection().multipliedBy(9).dividedBy(10), this::wasAway)));
            if (isClosed.get()) {
                stop();
                throw new IllegalStateException("this engine was closed while it joined");
            }
            manager.addListener(new CacheEvents.Views(this::look));
            look();
        } catch (Exception | Error failed) {
            if (!joined.isDone()) {
                manager.stop();
                // Infinispan does not close a channel that could not connect, and that one may have its first port already.
                made.forEach(JChannel::close);
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

    /** Where this node listens. */
    String where() {
        return settings.address();
    }

    /** The name of this node in the channel. */
    UUID channelId() {
        return wires.join().id();
    }

    /** What is known about a node that is there or was there. */
    Optional<NodeRow> row(UUID node) {
        return reports.row(node);
    }

    Entries entries() {
        if (!joined.isDone() || isClosed.get()) {
            throw new NotServedException("this engine is " + (isClosed.get() ? "closed" : "not started"));
        }
        return joined.join().entries;
    }

    @Override
    public View view() {
        return reports.view();
    }

    @Override
    public boolean send(UUID node, ByteBuffer bytes) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        var to = reports.address(node);
        if (to.isEmpty() || isClosed.get()) {
            return false;
        }
        return wires.join().send(Wire.MESSAGE, Address.toExtendedUUID(to.orElseThrow()), bytes);
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
        return change(name, expected, next, settings.limit());
    }

    /**
     * Changes an entry.
     *
     * @param wait how long the change waits for a view in which changes may begin
     */
    Outcome change(String name, byte @Nullable [] expected, byte @Nullable [] next, Duration wait) {
        return new CompareAndSet(this, name, expected, next, settings.limit()).make(wait);
    }

    @Override
    public byte @Nullable [] get(String table, String key) {
        return read(named(table, key)).map(byte[]::clone).orElse(null);
    }

    /** Returns the value of an entry. Callers do not change the bytes. */
    Optional<byte[]> read(String name) {
        return copies().get(name).flatMap(StoredValue::value);
    }

    @Override
    public Map<String, byte[]> all(String table) {
        var found = new TreeMap<String, byte[]>();
        read(named(table, "").substring(0, table.length()),
                (key, value) -> found.put(key, value.clone()));
        return found;
    }

    /** Tells all entries of a table. */
    void read(String table, BiConsumer<String, byte[]> to) {
        var copies = copies();
        for (var name : copies.names()) {
            if (Entries.table(name).equals(table)) {
                copies.get(name).flatMap(StoredValue::value)
                        .ifPresent(value -> to.accept(Entries.key(name), value));
            }
        }
    }

    private Copies copies() {
        if (!entries().isAvailable()) {
            throw Entries.notServed(new IllegalStateException("before the entry was read"));
        }
        return joined.join().reconciliation.copies();
    }

    /** Returns what this node knows of views and tables, for people. */
    String state() {
        if (!joined.isDone() || isClosed.get()) {
            return "not joined";
        }
        var topology = joined.join().entries.topology();
        return channelId() + ": " + wires.join().quorum().state() + "; distribution "
                + topology.getTopologyId() + " "
                + topology.getPhase() + " " + joined.join().entries.holders() + ", available "
                + joined.join().entries.isAvailable() + ", coordinator "
                + joined.join().manager.isCoordinator()
                + "; " + joined.join().reconciliation.state();
    }

    private static String named(String table, String key) {
        if (table.isEmpty() || table.charAt(0) == '\1') {
            throw new IllegalArgumentException("a table needs a name, and no control character in front");
        }
        return Entries.name(table, key);
    }

    @Override
    public NotUnderstood notUnderstood() {
        return notUnderstood;
    }

    @Override
    public boolean synced() {
        if (!joined.isDone() || isClosed.get()) {
            return false;
        }
        return joined.join().reconciliation.whole().isPresent();
    }

    @Override
    public boolean leave(Duration deadline) {
        if (isClosed.get() || !joined.isDone()) {
            return false;
        }
        var end = System.nanoTime() + shorter(deadline, InfinispanSettings.LONGEST).toNanos();
        var me = joined.join();
        var mine = me.self.node().incarnation().toString().getBytes(StandardCharsets.US_ASCII);
        // One at a time: the next one leaves when the rest is a majority without this one.
        if (!await(left(end), () -> takeTurn(mine, end)) || !await(left(end), this::synced)) {
            return false;
        }
        me.upkeep.rest();
        try {
            return saysGoodbye(Upkeep.rowName(me.manager.getAddress()), me.self.leaving().bytes(), end);
        } catch (NotServedException minority) {
            LOGGER.warn("The goodbye of {} was not heard", settings.address(), minority);
            return false;
        } finally {
            close();
        }
    }

    /**
     * Writes the goodbye into the row of this node. A node that has just come back may have no row: it was removed when the node was lost. The write is
     * repeated if the row has changed meanwhile, or if its outcome is not known.
     */
    private boolean saysGoodbye(String row, byte[] leaving, long end) {
        do {
            var now = read(row).orElse(null);
            if (Arrays.equals(now, leaving) || changeUntil(end, row, now, leaving) == Outcome.DONE) {
                return true;
            }
        } while (end - System.nanoTime() > 0);
        return false;
    }

    private boolean takeTurn(byte[] mine, long end) {
        try {
            var holder = read(TURN).orElse(null);
            if (holder != null && !Arrays.equals(holder, mine)
                    && reports.address(UUID.fromString(new String(holder, StandardCharsets.US_ASCII)))
                            .isPresent()) {
                return false;
            }
            return Arrays.equals(holder, mine) || changeUntil(end, TURN, holder, mine) == Outcome.DONE;
        } catch (NotServedException minority) {
            return false;
        }
    }

    /** Changes an entry, and waits for the outcome no longer than until then. */
    private Outcome changeUntil(long end, String name, byte @Nullable [] expected, byte @Nullable [] next) {
        var limit = shorter(left(end), settings.limit());
        return new CompareAndSet(this, name, expected, next, limit).make(limit);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Returns the time that is left until then. */
    static Duration left(long end) {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /** Waits for a condition, which is checked again after each change. */
    boolean await(Duration limit, BooleanSupplier condition) {
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
        reports.end();
        if (joined.isDone()) {
            stop();
        }
    }

    /** Stops what has joined. The thread that closes calls this, and that which joins if it finds that this engine is closed; the second call does nothing. */
    private void stop() {
        if (isStopped.compareAndSet(false, true)) {
            var me = joined.join();
            me.pulse.close();
            wires.join().close();
            me.upkeep.close();
            me.reconciliation.close();
            me.rounds.viewChanged();
            var bundler = channel().getProtocolStack().getTransport().getBundler();
            me.manager.stop();
            bundler.stop(); // once more: what JGroups sends while it stops begins a thread for its receiver, which nothing ends
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
                        LOGGER.error("The engine of {} could not follow a change", settings.address(),
                                failed);
                    }
                }
            });
        } catch (RejectedExecutionException closed) {
            LOGGER.trace("A change after the end of the engine of {}", settings.address(), closed);
        }
    }

    /** Tells the listener soon what has changed. */
    void look() {
        if (joined.isDone() && isLookDue.compareAndSet(false, true)) {
            onClerk(() -> {
                isLookDue.set(false);
                reports.tellEntries();
                reports.tellView();
                seen();
                joined.join().upkeep.tidySoon();
                joined.join().reconciliation.goOnSoon();
            });
        }
    }

    /** This process did not run for so long. The others may have gone on without it, so it serves again when most of them have answered. */
    void wasAway(Duration away) {
        if (joined.isDone() && !isClosed.get()) {
            LOGGER.warn(
                    "The process of {} did not run for {}: it serves again when the other nodes have answered",
                    settings.address(), away);
            wires.join().quorum().wasAway();
            look();
        }
    }

    /** Those who wait look again. */
    void wake() {
        onClerk(this::seen);
    }

    /** The clerk calls this. */
    private void seen() {
        var seen = nextLook;
        nextLook = new CompletableFuture<>();
        seen.complete(null);
    }

    /** The change is acknowledged after this call, so a goodbye is known before its node is missing. */
    private void entryChanged(Reconciliation reconciliation, Wire wire, String name,
            byte @Nullable [] stored) {
        var value = Optional.ofNullable(stored).map(StoredValue::of);
        reconciliation.entryChanged(name, value);
        if (Entries.table(name).equals(NODES)
                && value.flatMap(StoredValue::value).filter(row -> NodeRow.of(row).isLeaving()).isPresent()) {
            wire.quorum().saidGoodbye(UUID.fromString(Entries.key(name)));
        }
        onClerk(() -> {
            if (joined.isDone()) {
                reports.tellEntry(name);
                seen();
            }
        });
    }
}
