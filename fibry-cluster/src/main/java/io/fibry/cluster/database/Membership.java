package io.fibry.cluster.database;

import io.fibry.cluster.ClusterException;
import io.fibry.cluster.database.ClusterSession.Beat;
import io.fibry.cluster.database.ClusterSession.NodeRow;
import io.fibry.cluster.database.ClusterSession.Nodes;
import io.fibry.cluster.database.ClusterSession.State;
import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.View;
import io.fibry.cluster.engine.EngineListener;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The membership of this node: its lease, and the views. One thread keeps it, with a session of its own; the package has
 * the states. A second thread watches the end of the lease. A view is told under a lock, and one that serves only while the
 * lease is not over: so what is told has one order, and the end of a period of service is told before the next one begins.
 */
final class Membership {
    private static final Logger LOGGER = LoggerFactory.getLogger(Membership.class);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);
    private static final Duration PAUSE_OF_START = Duration.ofMillis(5);
    /** How long others may take to connect to a node that has joined, however short its lease is. */
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);
    private static final Duration LONGEST_ABSENCE = Duration.ofMinutes(1);
    /** After so many leases, an accusation has nothing to do with those before. */
    private static final int LONG_SERVICE = 10;

    private final DatabaseSettings settings;
    private final NodeInfo self;
    private final NodeAddress address;
    private final MachineId machine;
    private final EngineListener listener;
    private final EntryCopies copies;
    private final Mesh mesh;
    private final Lease.Clocks clocks;
    private final Lease lease;
    private final Observation observation;
    private final Accusations accusations;
    /** A permit is there if the keeping thread has something to do. */
    private final Semaphore work = new Semaphore(0);
    /** Nodes of this machine whose death is proven. */
    private final Set<UUID> dead = ConcurrentHashMap.newKeySet();
    /** Guards what is told of views. */
    private final ReentrantLock viewLock = new ReentrantLock();
    /** Written under the lock. */
    private volatile View view = new View(0, List.of(), false);
    /** The rows of the view. Written under the lock, and immutable. */
    private volatile Map<UUID, NodeRow> rows = Map.of();
    /** When the newest beat of each member was first there. Written by the keeping thread, and immutable. */
    private volatile Map<UUID, Long> newestBeats = Map.of();
    /** Completes when all of the last period of service has ended; null until its end is told. Written under the lock. */
    private volatile @Nullable CompletableFuture<?> ended = CompletableFuture.completedFuture(null);
    /** Until when nothing is changed, since nodes may have leases that the database has lost. Written by the keeping thread. */
    private volatile long restEnd;
    /** Set by a leave, by the keeping thread at an interrupt, or by a close, which holds the lock, as a join does. */
    private volatile boolean isOver;

    /** Set once, by the thread that starts. */
    private volatile String database = "";
    /** Written by the keeping thread, and by the one that starts it before; another one aborts it at the end. */
    private volatile @Nullable ClusterSession session;

    // Used by the keeping thread alone, and by the one that starts it before.
    private long beats;
    private long version;
    /** The server that the copies were compared with last. */
    private String server = "";
    /** The server whose beats this node compares while it serves nothing; null if it has to begin anew. */
    private @Nullable String observed;
    private boolean wasAccused;
    /** How often this node was accused, each time soon after it had joined. */
    private int accusedAgain;
    /** Why this node did not join when it last tried; empty if it did. */
    private String unlikeReason = "";
    private long joinTime;
    private long returnTime;
    private boolean isAway;

    private final Thread keeper =
            Thread.ofPlatform().daemon().name("fibry-cluster-lease").unstarted(this::keep);
    private final Thread guard =
            Thread.ofPlatform().daemon().name("fibry-cluster-guard").unstarted(this::guard);

    Membership(DatabaseSettings settings, NodeInfo self, NodeAddress address, MachineId machine,
            EngineListener listener, EntryCopies copies, Mesh mesh,
            Lease.Clocks clocks) {
        this.settings = settings;
        this.self = self;
        this.address = address;
        this.machine = machine;
        this.listener = listener;
        this.copies = copies;
        this.mesh = mesh;
        this.clocks = clocks;
        lease = new Lease(settings.lease, clocks);
        restEnd = clocks.nanoTime();
        observation = new Observation(self.incarnation());
        accusations = new Accusations(self.incarnation(), settings.lease.toNanos(),
                2 * settings.pause().toNanos(), clocks.nanoTime());
    }

    /** Joins, and begins to keep the membership. */
    View start() throws SQLException, InterruptedException {
        // It may take long to make tables. The keeping thread opens another session, which waits for less time.
        var opened = settings.database.connect(settings.cluster, settings.lease);
        session = opened;
        database = opened.makeTables();
        awaitOthersLike(opened);
        do {
            join(opened);
        } while (!view.majority()); // the lease was over before the answer was there
        closeSession();
        keeper.start();
        guard.start();
        requireHeard();
        return view;
    }

    /**
     * Refuses a node that could not work with the others. Nodes that were all killed at once still have the rows of
     * members: so this node waits until they answer or beat, or until their leases are over.
     */
    private void awaitOthersLike(ClusterSession open) throws SQLException, InterruptedException {
        var first = new HashMap<UUID, Long>();
        var seen = new Observation(self.incarnation());
        for (var unlike = unlike(open.nodes()); !unlike.isEmpty(); unlike = unlike(open.nodes())) {
            var beat = open.beat(self.incarnation(), 0, 0, Set.of());
            var lost = seen.see(beat.members(), clocks.nanoTime());
            for (var each : unlike.entrySet()) {
                var row = each.getKey();
                var pulse = beat.members().get(row.node());
                var presence = presence(row);
                if (presence == Mesh.Presence.THERE || (pulse != null
                        && pulse.beat() != first.computeIfAbsent(row.node(), missing -> pulse.beat()))) {
                    throw each.getValue();
                }
                if (presence == Mesh.Presence.GONE && machine.isHere(row.machine())) {
                    open.remove(row.node(), ClusterSession.ANY_BEAT, State.LOST);
                }
            }
            for (var each : lost) {
                open.remove(each.node(), each.beat(), State.LOST);
            }
            TimeUnit.NANOSECONDS.sleep(settings.pause().toNanos());
            requireOpen();
        }
    }

    private Mesh.Presence presence(NodeRow row) throws InterruptedException {
        var place = NodeAddress.of(row.address());
        return place.isEncrypted() == address.isEncrypted() ? mesh.presence(row.node(), place)
                : Mesh.Presence.UNKNOWN;
    }

    /** Returns the members that this node could not work with, and why. */
    private Map<NodeRow, RuntimeException> unlike(Nodes nodes) {
        var unlike = new LinkedHashMap<NodeRow, RuntimeException>();
        for (var each : nodes.rows()) {
            if (each.state() == State.MEMBER) {
                try {
                    requireReachable(each);
                    listener.requireLike(new NodeInfo(each.node(), each.description()));
                } catch (ClusterException refused) {
                    unlike.put(each, refused);
                }
            }
        }
        return unlike;
    }

    /** Refuses a node that another one could not reach. */
    private void requireReachable(NodeRow row) {
        var other = NodeAddress.of(row.address());
        if (other.isEncrypted() != address.isEncrypted()) {
            throw new ClusterException("this node, at " + address + ", speaks "
                    + (address.isEncrypted() ? "TLS, and another one, at " + other + ", plain text"
                            : "plain text, and another one, at " + other + ", TLS")
                    + ": give all nodes the same of loopback addresses, trustedNetwork() (FIBRY_TRUSTED_NETWORK) and TLS");
        }
        if (machine.isElsewhere(row.machine()) && (other.isLoopback() || address.isLoopback())) {
            throw new ClusterException("this node listens on " + address
                    + ", and another one, of another machine or container, on " + other
                    + ": they could not reach each other. Give all nodes addresses of their network (FIBRY_HOST, or DatabaseSettings.listen)");
        }
    }

    /**
     * Waits until the others, which have seen this node join, have opened their connections to it. If most of them cannot,
     * it is of no use to them, and goes. One whose beat has not changed for two pauses may have died, and is not waited for.
     */
    private void requireHeard() throws InterruptedException {
        var begin = clocks.nanoTime();
        var first = new HashMap<UUID, Long>();
        while (true) {
            requireOpen();
            var beats = newestBeats;
            beats.forEach(first::putIfAbsent);
            var past = clocks.nanoTime() - begin;
            var isLate = past >= 2 * settings.pause().toNanos();
            var others = rows.keySet().stream().filter(node -> !node.equals(self.incarnation())
                    && !(isLate && Objects.equals(beats.get(node), first.get(node)))).toList();
            var silent = others.stream().filter(node -> !mesh.hears(node)).toList();
            if (silent.isEmpty()) {
                return;
            }
            if (past >= Math.max(settings.lease.toNanos(), LONGEST_CONNECT.toNanos())) {
                if (2 * silent.size() > others.size()) {
                    refuse(silent.getFirst());
                }
                return;
            }
            TimeUnit.NANOSECONDS.sleep(PAUSE_OF_START.toNanos());
        }
    }

    private void refuse(UUID silent) {
        var unused = leave(settings.lease);
        throw new ClusterException("other nodes, such as the one at " + name(silent)
                + ", reach the database, and not this node at " + address
                + ": give it an address that they reach (FIBRY_HOST, or DatabaseSettings.listen), and let connections to its port through");
    }

    View view() {
        return view;
    }

    /** Tells the database of this node from other ones. */
    String database() {
        return database;
    }

    /** Whether this node may serve: two reads of clocks. */
    boolean serves() {
        return !lease.isOver() && view.majority();
    }

    /** Returns what is left of the leases of the members. */
    Map<UUID, Duration> leases() {
        if (!serves()) {
            return Map.of();
        }
        var now = clocks.nanoTime();
        var leases = new HashMap<UUID, Duration>();
        var known = rows;
        newestBeats.forEach((node, since) -> {
            var row = known.get(node);
            if (row != null) {
                leases.put(node, Duration.ofNanos(Math.max(0, row.lease() - (now - since))));
            }
        });
        leases.put(self.incarnation(), Duration.ofNanos(Math.max(0, lease.nanosLeft())));
        return leases;
    }

    boolean mayChange() {
        return clocks.nanoTime() - restEnd >= 0;
    }

    /** The node may be dead. */
    void suspect(UUID node) {
        var row = rows.get(node);
        if (row != null && machine.isHere(row.machine())) {
            mesh.ask(node, NodeAddress.of(row.address()), () -> {
                dead.add(node);
                work.release();
            });
        }
    }

    void hear(UUID node) {
        accusations.hear(node, clocks.nanoTime());
    }

    /** Lets the keeping thread look at the database now. */
    void look() {
        work.release();
    }

    // ---- The end of a period of service. ----

    /** Ends the period of service, if there is one. Called by any thread. */
    void fallSilent(String reason) {
        viewLock.lock();
        try {
            if (view.majority()) {
                LOGGER.info("{} serves nothing: {}", address, reason);
                lease.end();
                view = new View(view.number(), List.of(self), false);
                ended = null;
            }
            if (ended == null) { // or whoever has told it before has failed
                listener.viewChanged(view, Set.of());
                var end = listener.ended().toCompletableFuture();
                ended = end;
                var unused = end.thenRun(work::release);
            }
        } finally {
            viewLock.unlock();
        }
    }

    void requireLease() {
        if (!lease.isOver()) {
            return;
        }
        viewLock.lock();
        try {
            if (lease.isOver()) { // else this node has joined again meanwhile
                fallSilent("its lease is over, since it does not reach the database");
            }
        } finally {
            viewLock.unlock();
        }
    }

    private void guard() {
        while (!isOver) {
            try {
                if (view.majority()) {
                    requireLease();
                }
            } catch (RuntimeException | Error failed) { // the keeping thread tells it again
                LOGGER.error("The end of the lease of {} could not be told", address, failed);
            }
            // Without a lease there is none to be watched until it is renewed, which unparks this thread.
            LockSupport.parkNanos(this,
                    view.majority() ? Math.max(1, lease.nanosLeft()) : settings.lease.toNanos());
        }
    }

    // ---- The keeping thread. ----

    private void keep() {
        while (!isOver) {
            var open = session;
            try {
                if (open == null) {
                    session = settings.database.connect(settings.cluster, settings.pause().multipliedBy(2));
                    continue;
                }
                step(open);
                if (isAway) {
                    isAway = false;
                    LOGGER.info("{} reaches {} again", address, settings);
                }
                pause(settings.pause());
            } catch (SQLException | RuntimeException | Error failed) {
                closeSession();
                observed = null; // what it has seen may be as old as the leases of all
                if (!isOver) {
                    if (open != null && !(failed instanceof SQLException)) {
                        LOGGER.error("{} joins again, so that its listener is told what it may have missed",
                                address, failed);
                        lease.end();
                    }
                    if (!isAway) {
                        LOGGER.warn("{} does not reach {}, and tries again: {}", address, settings,
                                failed.getMessage());
                    }
                    LOGGER.debug("A beat has failed", failed);
                    isAway = true;
                    LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE.toNanos());
                }
            }
        }
        closeSession();
    }

    /** Waits for the next beat, or until there is something to do. */
    private void pause(Duration longest) {
        try {
            if (work.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS)) {
                work.drainPermits();
            }
        } catch (InterruptedException closed) {
            isOver = true;
        }
    }

    private void closeSession() {
        var open = session;
        session = null;
        if (open != null) {
            open.close();
        }
    }

    private void step(ClusterSession open) throws SQLException {
        var begin = lease.begin();
        var serves = view.majority();
        if (serves) { // the others admit no connection of a node that is no member
            mesh.tellAll(DatabaseEngine.ALIVE, ByteBuffer.allocate(0));
        }
        // A node that serves nothing raises no beat, so that others take over, and accuses nobody, since they do not hear it.
        var beat = open.beat(self.incarnation(), serves ? ++beats : ClusterSession.ANY_BEAT, version,
                serves ? accusations.mine(leasesOf(rows.values()), clocks.nanoTime()) : Set.of());
        if (hasLostChanges(open, beat)) {
            fallSilent("the database has lost changes");
        }
        var mine = beat.members().get(self.incarnation());
        // mutant: lease-is-renewed-by-a-beat-that-was-not-taken
        if (mine == null || mine.state() != State.MEMBER || !renew(begin)) {
            fallSilent(mine == null ? "others have found it lost"
                    : mine.state() == State.MEMBER ? "its lease is over"
                    : "it and another node do not hear each other");
            if (mine != null && mine.state() == State.ENDING) {
                noteAccusation();
            }
            comeBack(open, mine != null && mine.state() == State.ENDING);
            if (!view.majority()) {
                observeSilently(open, beat);
            }
            return;
        }
        pull(open, beat.version());
        if (beat.view() != view.number()) {
            see(open.nodes());
        }
        removeLost(open, beat);
        judge(open, beat);
    }

    /** Renews the lease if its period of service is not over. */
    private boolean renew(Lease.Begin begin) {
        viewLock.lock();
        try {
            if (!view.majority() || lease.isOver()) {
                return false;
            }
            lease.renew(begin);
            return true;
        } finally {
            viewLock.unlock();
        }
    }

    /** Joins again when all that was served has ended. */
    private void comeBack(ClusterSession open, boolean isAwaited) throws SQLException {
        var end = ended;
        if (end == null || !end.isDone()) {
            return;
        }
        if (isAwaited) { // the others wait for this word, or for the end of the lease
            open.remove(self.incarnation(), ClusterSession.ANY_BEAT, State.LOST);
            mesh.tellAll(DatabaseEngine.LOOK, ByteBuffer.allocate(0));
        }
        if ((!wasAccused || (clocks.nanoTime() - returnTime >= 0 && reachesAll(open))) && isLikeAll(open)) {
            join(open);
            LockSupport.unpark(guard);
        }
    }

    /**
     * This node has to go. One that is accused again and again, such as one whose port the others do not reach, would
     * take slices each time that nobody can reach there: it stays away for longer each time.
     */
    private void noteAccusation() {
        if (wasAccused) {
            return;
        }
        wasAccused = true;
        var now = clocks.nanoTime();
        if (now - joinTime > LONG_SERVICE * settings.lease.toNanos()) {
            accusedAgain = 0;
        }
        var absence = accusedAgain == 0 ? 0
                : Math.min(LONGEST_ABSENCE.toNanos(),
                        settings.lease.toNanos() << Math.min(accusedAgain - 1, 8));
        accusedAgain++;
        returnTime = now + absence;
        if (absence > 0) {
            LOGGER.warn(
                    "{} stays away for {}, since other nodes do not hear it, or it does not hear them: see"
                            + " whether connections to this address, and from it, are let through",
                    address,
                    Duration.ofNanos(absence));
        }
    }

    private boolean reachesAll(ClusterSession open) throws SQLException {
        try {
            for (var row : open.nodes().rows()) {
                if (row.state() == State.MEMBER && !row.node().equals(self.incarnation())
                        && mesh.presence(row.node(), NodeAddress.of(row.address())) != Mesh.Presence.THERE) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException closed) {
            isOver = true;
            return false;
        }
    }

    /** Whether this node could work with the members, of which some may have joined while it was away. */
    private boolean isLikeAll(ClusterSession open) throws SQLException {
        var reason = unlike(open.nodes()).values().stream().map(each -> String.valueOf(each.getMessage()))
                .findFirst().orElse("");
        if (!reason.isEmpty() && !reason.equals(unlikeReason)) {
            LOGGER.warn("{} stays away from {} while a node is there that is unlike it: {}", address,
                    settings,
                    reason);
        }
        unlikeReason = reason;
        return reason.isEmpty();
    }

    private void join(ClusterSession open) throws SQLException {
        requireOpen();
        var begin = lease.begin();
        var joined = open.join(self.incarnation(), ++beats, address.row(), machine.name(), self.description(),
                settings.lease.toNanos());
        var nodes = open.nodes();
        var before = restEnd;
        var longest = rest(nodes); // before a change on this server is let through
        copies.belongTo(joined.server());
        server = joined.server();
        var entries = open.entriesAfter(0);
        // A new node has no copies, and nodes that the database does not know any more may have leases.
        if (joined.isOtherTimeline() || copies.haveMoreThan(entries)) {
            LOGGER.warn("{} {} changes: nothing is changed for {}", settings,
                    joined.isOtherTimeline() ? "is a copy that was promoted, and may have lost" : "has lost",
                    longest);
        } else {
            restEnd = before;
        }
        copies.forget();
        version = 0;
        take(entries, 0);
        observation.forget();
        observed = null;
        accusations.forget();
        wasAccused = false;
        joinTime = clocks.nanoTime();
        viewLock.lock();
        try {
            requireOpen(); // a closed node serves nothing, whatever its keeping thread had begun
            lease.renew(begin);
            if (!lease.isOver()) {
                tell(nodes);
            }
        } finally {
            viewLock.unlock();
        }
        mesh.tellAll(DatabaseEngine.LOOK, ByteBuffer.allocate(0));
        rows.keySet().forEach(this::suspect); // those that have died with all others are found at once
    }

    private void requireOpen() {
        if (isOver) {
            throw new IllegalStateException("this node was closed while it joined");
        }
    }

    /** Reads what is newer than the copies. */
    private void pull(ClusterSession open, long newest) throws SQLException {
        if (newest > version) {
            take(open.entriesAfter(version), newest);
        }
    }

    /** Takes in all entries up to a version, and maybe some more. */
    private void take(List<ClusterSession.Entry> entries, long upTo) {
        var last = entries.isEmpty() ? upTo : Math.max(upTo, entries.getLast().version());
        entries.forEach(entry -> see(entry, server));
        copies.complete(last);
        version = Math.max(version, last);
    }

    /** Takes an entry in that a server has told, by any thread. */
    void see(ClusterSession.Entry entry, String from) {
        if (copies.see(entry, from)) {
            listener.entryChanged(entry.table(), entry.key(), entry.value());
        }
    }

    private void see(Nodes nodes) {
        viewLock.lock();
        try {
            if (view.majority() && nodes.rows().stream()
                    .anyMatch(row -> row.state().isInView() && row.node().equals(self.incarnation()))) {
                tell(nodes);
            }
        } finally {
            viewLock.unlock();
        }
    }

    /** Tells a view. Called under the lock. */
    private void tell(Nodes nodes) {
        var before = rows;
        var there = new HashMap<UUID, NodeRow>();
        var peers = new HashMap<UUID, NodeAddress>();
        var left = new HashSet<UUID>();
        for (var row : nodes.rows()) {
            if (row.state().isInView()) {
                there.put(row.node(), row);
                if (!row.node().equals(self.incarnation())) {
                    peers.put(row.node(), NodeAddress.of(row.address()));
                }
            } else if (row.state() == State.LEFT && before.containsKey(row.node())) {
                left.add(row.node());
            }
        }
        rows = Map.copyOf(there);
        mesh.keep(peers);
        mesh.tellAll(DatabaseEngine.ALIVE, ByteBuffer.allocate(0)); // one that has joined waits for it
        view = new View(nodes.view(), nodes.rows().stream().filter(row -> row.state().isInView())
                .map(row -> new NodeInfo(row.node(), row.description())).toList(), true);
        listener.viewChanged(view, left);
    }

    /** Removes lost nodes while this node waits: nobody else may be there to do it, and it may wait for one of them. */
    private void observeSilently(ClusterSession open, Beat beat) throws SQLException {
        if (!beat.server().equals(observed)) {
            observed = beat.server();
            observation.forget();
        }
        removeLost(open, beat);
    }

    /** Removes lost nodes. The session must be that of the beat. */
    private void removeLost(ClusterSession open, Beat beat) throws SQLException {
        var lostNodes = observation.see(beat.members(), clocks.nanoTime());
        newestBeats = observation.newest();
        for (var lost : lostNodes) {
            remove(open, lost.node(), lost.beat(), "its lease is over");
        }
        for (var node : List.copyOf(dead)) {
            dead.remove(node);
            remove(open, node, ClusterSession.ANY_BEAT, "its process has ended");
        }
    }

    /** Takes no more beats of a node that does not hear others. */
    private void judge(ClusterSession open, Beat beat) throws SQLException {
        var judged = accusations.judge(beat.members(), clocks.nanoTime());
        if (judged.isPresent()) {
            LOGGER.warn(
                    "{} has to end what it serves, since nodes that reach the database do not hear each other: {}",
                    name(judged.get()),
                    beat.members().entrySet().stream().filter(each -> !each.getValue().accused().isEmpty())
                            .map(each -> name(each.getKey()) + " does not hear "
                                    + each.getValue().accused().stream().map(this::name)
                                            .collect(Collectors.joining(" and ")))
                            .collect(Collectors.joining("; ")));
            open.accuse(judged.get());
        }
    }

    private String name(UUID node) {
        var row = rows.get(node);
        return row == null ? node.toString() : NodeAddress.of(row.address()).toString();
    }

    private void remove(ClusterSession open, UUID node, long beat, String reason) throws SQLException {
        if (open.remove(node, beat, State.LOST)) {
            LOGGER.info("{} has removed {} from {}: {}", address, name(node), settings, reason);
            see(open.nodes());
            mesh.tellAll(DatabaseEngine.LOOK, ByteBuffer.allocate(0));
        } else {
            work.release();
        }
    }

    /**
     * Tells whether the database has lost changes that this node knows. A server that was started or promoted may have lost the
     * last ones, and leases that nodes still have: so nothing is changed for a lease, unless all is there on the same timeline.
     */
    private boolean hasLostChanges(ClusterSession open, Beat beat) throws SQLException {
        if (beat.members().isEmpty() || !view.majority()) {
            return false; // this node is not in, and compares when it joins again
        }
        if (beat.version() >= version && beat.server().equals(server)) {
            return false;
        }
        observation.forget();
        var before = restEnd;
        var unused = rest(open.nodes()); // before a change on that server is let through
        copies.belongTo(beat.server());
        var isLost = beat.version() < version || copies.haveMoreThan(open.entriesAfter(0));
        if (!isLost && timeline(server).equals(timeline(beat.server()))) {
            restEnd = before;
        }
        server = beat.server();
        LOGGER.warn("{} has found another start of the server of {}, {}", address, settings,
                isLost ? "which has lost changes: a copy was promoted that was behind, or a backup was restored"
                        : "which has all changes");
        return isLost;
    }

    /** Changes nothing for the longest lease that a node may have. Returns that lease. */
    private Duration rest(Nodes nodes) {
        var there = nodes.rows().stream().filter(row -> row.state() != State.LEFT);
        var longest = leasesOf(Stream.concat(there, rows.values().stream()).toList()).values().stream()
                .reduce(settings.lease.toNanos(), Math::max);
        restEnd = clocks.nanoTime() + longest;
        return Duration.ofNanos(longest);
    }

    private static Map<UUID, Long> leasesOf(Collection<NodeRow> rows) {
        return rows.stream().collect(Collectors.toMap(NodeRow::node, NodeRow::lease, Math::max));
    }

    private static String timeline(String server) {
        return server.substring(0, Math.max(0, server.indexOf(' ')));
    }

    // ---- The end. ----

    /** Says goodbye; returns false if the database was not reached in time, or if others have found this node lost. */
    boolean leave(Duration deadline) {
        var end = System.nanoTime() + deadline.toNanos();
        stop();
        do {
            try (var open = settings.database.connect(settings.cluster, settings.pause().multipliedBy(2))) {
                open.remove(self.incarnation(), ClusterSession.ANY_BEAT, State.LEFT);
                mesh.tellAll(DatabaseEngine.LOOK, ByteBuffer.allocate(0));
                return open.nodes().rows().stream()
                        .anyMatch(row -> row.node().equals(self.incarnation()) && row.state() == State.LEFT);
            } catch (SQLException failed) {
                LOGGER.debug("A goodbye has failed", failed);
                LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE.toNanos());
            }
        } while (System.nanoTime() - end < 0 && !Thread.currentThread().isInterrupted());
        return false;
    }

    /** Ends the lease and the threads, and tells nothing more. Nothing is served after that, so the port may close. */
    void close() {
        viewLock.lock();
        try {
            isOver = true;
            lease.end();
            view = new View(view.number(), List.of(), false);
        } finally {
            viewLock.unlock();
        }
        stop();
        closeSession();
    }

    private void stop() {
        isOver = true;
        LockSupport.unpark(guard);
        keeper.interrupt();
        var open = session;
        if (open != null && keeper.isAlive()) {
            open.abort();
        }
        awaitEnd(keeper);
        awaitEnd(guard);
    }

    /** Waits for the end of a thread, which has been told to end, and takes no notice of an interrupt. */
    static void awaitEnd(Thread thread) {
        var isInterrupted = Thread.interrupted();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException again) {
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
