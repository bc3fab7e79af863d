package io.fibry.bench.cluster;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** Nodes of Fibry in this process, on a PostgreSQL server of their own. Used by one thread. */
public final class ManyNodes implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MILLIS = 1000;
    private static final long PAUSE_NANOS = 10_000_000;

    private final EmbeddedPostgres server;
    private final DataSource source;
    private final Deque<Node> nodes = new ArrayDeque<>();
    private final List<ClusterGroup<Integer, Integer, Void>> groups;

    private record Node(ActorScope scope, Cluster cluster) {
    }

    /** What the server does for nodes at rest, each second. */
    public record Load(double processors, double logBytes) {
    }

    /**
     * Starts a server, and no nodes.
     *
     * @param groups how many groups each node shares
     * @return the nodes
     * @throws IOException if there is no server for this machine
     */
    public static ManyNodes start(int groups) throws IOException {
        return new ManyNodes(EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(1))
                .setServerConfig("fsync", "on").setServerConfig("max_connections", "400").start(), groups);
    }

    private ManyNodes(EmbeddedPostgres server, int groups) {
        this.server = server;
        this.groups = IntStream.range(0, groups)
                .mapToObj(i -> ClusterGroup.of("group" + i, Integer.class, Integer.class, Void.class,
                        key -> key))
                .toList();
        source = server.getPostgresDatabase();
    }

    /** Adds a node, and waits until it is in and shares its groups. */
    public void add() {
        var name = "node" + nodes.size();
        var scope = ActorSystem.open(name);
        var cluster = Cluster.open(scope, ClusterOptions.on(source).name(name));
        nodes.addLast(new Node(scope, cluster));
        for (var each : groups) {
            cluster.share(each,
                    scope.named(each.name()).keyed(each.keyOf()).newActorsFrom(key -> (self, message) -> {
                    }));
        }
    }

    /** Takes the newest node out. Its slices move to the others before. */
    public void leave() {
        var last = nodes.removeLast();
        last.cluster.close();
        last.scope.close();
    }

    /** Waits until each node has the same share of the slices, as the first one sees it. */
    public void awaitSpread() {
        var first = nodes.getFirst().cluster;
        var end = System.nanoTime() + PATIENCE.toNanos();
        while (!isSpread(first)) {
            if (System.nanoTime() > end) {
                throw new AssertionError("the slices have not moved in " + PATIENCE);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private boolean isSpread(Cluster seen) {
        if (seen.members().size() != nodes.size()) {
            return false;
        }
        for (var group : seen.homes()) {
            int share = group.slices().size() / nodes.size();
            for (var node : seen.members()) {
                int own = group.countOf(node);
                if (own < share || own > share + 1) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Measures what the server does for nodes that do nothing but be there.
     *
     * @param time how long
     * @return the processors that it uses, and the bytes that it adds to its log, a second
     * @throws SQLException if the server does not answer
     * @throws InterruptedException if the thread was interrupted
     */
    public Load atRest(Duration time) throws SQLException, InterruptedException {
        try (var connection = source.getConnection(); var statement = connection.createStatement()) {
            ToDoubleFunction<String> number = query -> {
                try (var rows = statement.executeQuery("SELECT " + query)) {
                    rows.next();
                    return rows.getDouble(1);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            };
            var self = ProcessHandle.of((long) number.applyAsDouble("pg_backend_pid()")).orElseThrow();
            var postmaster = self.parent().orElseThrow();
            double log = number.applyAsDouble("pg_current_wal_lsn() - '0/0'");
            double cpu = cpuSeconds(postmaster);
            var begin = System.nanoTime();
            Thread.sleep(time);
            var seconds = (System.nanoTime() - begin) / 1e9;
            return new Load((cpuSeconds(postmaster) - cpu) / seconds,
                    (number.applyAsDouble("pg_current_wal_lsn() - '0/0'") - log) / seconds);
        }
    }

    private static double cpuSeconds(ProcessHandle parent) {
        return parent.descendants().mapToDouble(each -> each.info().totalCpuDuration().map(Duration::toMillis)
                .orElse(0L) / (double) MILLIS).sum();
    }

    @Override
    public void close() throws IOException {
        while (!nodes.isEmpty()) {
            leave();
        }
        server.close();
    }
}
