package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Recipient;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.trial.EffectHistory.Begin;
import io.fibry.cluster.trial.EffectHistory.Effect;
import io.fibry.cluster.trial.EffectNode.Raise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A long trial: processes have actors whose effects are in the database of their cluster, and are killed, frozen and cut off, one after
 * another and at the same time. This process reaches the actors as a node that hosts nothing. It repeats each message until it is
 * acknowledged, and so knows what must be there.
 */
final class EffectTrial implements AutoCloseable {
    private static final long LEASE = EffectNode.LEASE.toMillis();
    /** Of each key; so there is always something in its mailbox. */
    private static final int CLIENTS = 4;
    private static final int USUAL = 3;
    private static final int MOST = 6;
    private static final int LEAST = 2;

    /** What may happen. The first ones more often than the last ones. */
    enum Fault {
        /** One stops for a time, which may be too short to be noticed. */
        FREEZE(6),
        /** A process ends at once, and another one takes its place. */
        KILL(3),
        /** One does not reach the database for a time, and the others do. */
        CUT(4),
        /** Nobody reaches the database for a time. */
        DATABASE_AWAY(2),
        /** The server of the database ends at once, and starts again. */
        DATABASE_STOPS(2),
        /** One has to end what it serves, as if others did not hear it. */
        ACCUSE(2),
        /** All end at once, and others take their places. */
        ALL_DOWN(1),
        /** There are more nodes, or fewer. */
        RESIZE(1);

        final int weight;

        Fault(int weight) {
            this.weight = weight;
        }
    }

    /** The database of a trial. */
    interface Store extends AutoCloseable {
        /** The URL for this process, which is harmed only if the database is. */
        String url();

        /** The URL for a node. */
        String url(String node) throws IOException;

        /** Cuts a node off or lets it reach the database again; returns false if that cannot be. */
        boolean cut(String node, boolean isCut) throws IOException;

        /** Lets nobody reach it for a time. */
        void away(long millis) throws Exception;

        /** Ends its server, and starts it again; returns false if it has none. */
        boolean stop() throws Exception;

        @Override
        void close() throws IOException;
    }

    private static final int MOST_FREEZES = 150;

    private final Path folder;
    private final Store store;
    private final Random random;
    private final boolean isFenced;
    private final List<String> options;
    private final ActorScope scope = ActorSystem.open("parent");
    private final Cluster cluster;
    private final List<Recipient<Raise, Long>> sums = new ArrayList<>();
    private final Map<String, NodeProcess> nodes = new LinkedHashMap<>();
    private final List<NodeProcess> starting = new ArrayList<>();
    private final List<Path> logs = new ArrayList<>();
    private final Queue<Effect> acknowledged = new ConcurrentLinkedQueue<>();
    /** How many effects of each key were acknowledged. */
    private final AtomicLongArray counts = new AtomicLongArray(EffectNode.KEYS);
    private final Map<Fault, Integer> done = new TreeMap<>();
    private final List<CompletableFuture<Void>> clients = new ArrayList<>();
    private volatile boolean isOver;
    private int started;

    /** Starts the usual number of nodes, with options of their JVMs. */
    private EffectTrial(Path folder, Store store, long seed, boolean isFenced, List<String> options)
            throws Exception {
        this.folder = folder;
        this.store = store;
        this.isFenced = isFenced;
        this.options = options;
        random = new Random(seed);
        cluster = Cluster.open(scope, EffectNode.options(store.url(), "parent"));
        run(EffectNode.TABLE);
        run("CREATE INDEX effects_id ON effects(id)");
        run("CREATE INDEX effects_key ON effects(key, revision)");
        for (int key = 0; key < EffectNode.KEYS; key++) {
            sums.add(cluster.reach(EffectNode.group(key)));
        }
        for (int i = 0; i < USUAL; i++) {
            start();
        }
        awaitStarted();
        for (int key = 0; key < EffectNode.KEYS; key++) {
            for (int i = 0; i < CLIENTS; i++) {
                var of = key;
                var name = key + "/" + i + "/";
                clients.add(CompletableFuture.runAsync(() -> client(of, name),
                        task -> Thread.ofVirtual().start(task)));
            }
        }
        awaitProgress("the start");
    }

    private void run(String sql) throws SQLException {
        try (var connection = EffectNode.connect(store.url());
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void start() throws IOException {
        var name = "n" + started++;
        var log = Files.createFile(folder.resolve(name + ".begins"));
        logs.add(log);
        var node = new NodeProcess(name, 0, "", List.of(), options,
                List.of(EffectNode.class.getName(), name, store.url(name), log.toString(), "" + isFenced),
                Map.of(), folder);
        nodes.put(name, node);
        starting.add(node);
    }

    private void awaitStarted() throws Exception {
        for (var each : starting) {
            each.awaitReady();
        }
        starting.clear();
    }

    private void client(int key, String name) {
        try {
            for (int i = 0; !isOver; i++) {
                var id = name + i;
                acknowledged.add(new Effect(key, raise(key, id), id, ""));
                counts.incrementAndGet(key);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends until there is an answer. */
    private long raise(int key, String id) throws InterruptedException {
        while (true) {
            try {
                return sums.get(key).sendMessageReturn(new Raise(key, id)).get();
            } catch (ExecutionException notAcknowledged) {
                TimeUnit.MILLISECONDS.sleep(20); // what is refused is refused at once, and others need the processor
            }
        }
    }

    /** Waits until something of each key is acknowledged that was sent now. */
    private void awaitProgress(String after) throws InterruptedException {
        var before = new long[EffectNode.KEYS];
        Arrays.setAll(before, counts::get);
        var end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        for (int key = 0; key < EffectNode.KEYS; key++) {
            // As many as may be on their way, and one more.
            while (counts.get(key) <= before[key] + CLIENTS) {
                assertThat(System.nanoTime()).as(
                        "nothing of the key %s is acknowledged for 3 min after %s, home %s, nodes %s", key,
                        after, cluster.homes(), cluster.members()).isLessThan(end);
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
    }

    // ---- Faults. ----

    private String anyone() {
        var all = List.copyOf(nodes.keySet());
        return all.get(random.nextInt(all.size()));
    }

    private long time() {
        return random.nextBoolean() ? random.nextLong(LEASE) : LEASE + random.nextLong(2 * LEASE);
    }

    private Fault anyFault() {
        var left = random.nextInt(Arrays.stream(Fault.values()).mapToInt(each -> each.weight).sum());
        for (var each : Fault.values()) {
            left -= each.weight;
            if (left < 0) {
                return each;
            }
        }
        throw new IllegalStateException();
    }

    /** Lets so many faults happen, each kind once before any comes again. A freeze stands for one that the store cannot have. */
    private void harm(int faults) throws Exception {
        var begin = System.nanoTime();
        var end = begin + TimeUnit.SECONDS.toNanos(Integer.getInteger("trial.seconds", 10_000));
        for (int i = 0; i < faults && System.nanoTime() < end; i++) {
            var fault = i < Fault.values().length ? Fault.values()[i] : anyFault();
            awaitStarted();
            TimeUnit.MILLISECONDS.sleep(random.nextInt(500)); // when it happens
            if (!harm(fault)) {
                fault = Fault.FREEZE;
                harm(fault);
            }
            done.merge(fault, 1, Integer::sum);
            awaitProgress(fault + ", the fault " + i);
            if (i % 10 == 9) {
                System.out.println(figures(begin));
            }
        }
        System.out.println(figures(begin));
    }

    private String figures(long begin) {
        return done.values().stream().mapToInt(each -> each).sum() + " faults in "
                + (System.nanoTime() - begin) / 1_000_000_000 + " s " + done + ", acknowledged "
                + acknowledged.size();
    }

    private boolean harm(Fault fault) throws Exception {
        var victim = anyone();
        switch (fault) {
            case FREEZE -> {
                nodes.get(victim).signal("STOP");
                TimeUnit.MILLISECONDS.sleep(time());
                nodes.get(victim).signal("CONT");
            }
            case KILL -> {
                nodes.remove(victim).kill();
                start();
            }
            case CUT -> {
                if (!store.cut(victim, true)) {
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(time());
                store.cut(victim, false);
            }
            case DATABASE_AWAY -> store.away(time());
            case DATABASE_STOPS -> {
                return store.stop();
            }
            case ACCUSE -> run("UPDATE fibry_cluster_nodes SET state = 3 WHERE state = 0 AND node = '"
                    + cluster.members().stream().filter(each -> each.name().equals(victim))
                            .map(each -> each.incarnation().toString()).findFirst()
                            .orElse("00000000-0000-0000-0000-000000000000")
                    + "'");
            case ALL_DOWN -> {
                var size = nodes.size();
                nodes.values().forEach(NodeProcess::kill);
                nodes.clear();
                for (int i = 0; i < size; i++) {
                    start();
                }
            }
            case RESIZE -> resize();
        }
        return true;
    }

    /** From the usual number to the most, from that to the least, and from that to the usual number. */
    private void resize() throws Exception {
        var size = nodes.size() == USUAL ? MOST : nodes.size() == MOST ? LEAST : USUAL;
        while (nodes.size() < size) {
            start();
        }
        while (nodes.size() > size) {
            nodes.remove(anyone()).kill();
        }
    }

    /** As many faults as {@code -Dtrial.faults} says, in no more than {@code -Dtrial.seconds}, drawn with {@code -Dtrial.seed}. */
    static void run(Path folder, Store store, int faults) throws Exception {
        var seed = Long.getLong("trial.seed", System.nanoTime());
        System.out.println("-Dtrial.seed=" + seed);
        try (var trial = new EffectTrial(folder, store, seed, true, List.of())) {
            trial.harm(Integer.getInteger("trial.faults", faults));
            assertThat(trial.end()).isEmpty();
        }
    }

    /**
     * Freezes a node until the others have its keys, again and again until there is something that must not be, and returns that. A node
     * may have nothing to do at the moment in which it is frozen, so one freeze in some ten shows a mistake of it.
     */
    static List<String> freezes(Path folder, Store store, boolean isFenced, List<String> options)
            throws Exception {
        try (var trial = new EffectTrial(folder, store, 1, isFenced, options)) {
            var found = List.<String>of();
            for (int i = 0; i < MOST_FREEZES && found.isEmpty(); i++) {
                var frozen = trial.nodes.get(trial.anyone());
                trial.freeze(frozen);
                trial.awaitProgress("a freeze");
                frozen.signal("CONT");
                trial.awaitProgress("its end");
                found = trial.faults();
            }
            return found;
        }
    }

    /** Stops a process where it does not hold the lock of a file, for which all others would wait. */
    private void freeze(NodeProcess node) throws Exception {
        while (true) {
            node.signal("STOP");
            try {
                run("UPDATE effects SET id = id WHERE id = ''");
                return;
            } catch (SQLException locked) {
                node.signal("CONT");
            }
        }
    }

    /** Ends all, and returns what must not be. */
    private List<String> end() throws Exception {
        isOver = true;
        CompletableFuture.allOf(clients.toArray(CompletableFuture[]::new)).get(3, TimeUnit.MINUTES);
        nodes.values().forEach(NodeProcess::kill);
        return faults();
    }

    /** Reads what was acknowledged first, then what has become of it, and then which turns have begun. */
    private List<String> faults() throws Exception {
        var known = List.copyOf(acknowledged);
        var there = new ArrayList<Effect>();
        try (var connection = EffectNode.connect(store.url());
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT key, revision, id, actor FROM effects")) {
            while (rows.next()) {
                there.add(new Effect(rows.getInt(1), rows.getLong(2), rows.getString(3), rows.getString(4)));
            }
        }
        var begins = new ArrayList<Begin>();
        for (var log : logs) {
            var text = Files.readString(log);
            text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Begin::of).forEach(begins::add);
        }
        System.out.println("acknowledged " + known.size() + ", effects " + there.size()
                + ", turns begun " + begins.size() + ", actors "
                + begins.stream().map(each -> each.key() + each.actor()).distinct().count());
        return EffectHistory.faults(known, there, begins);
    }

    @Override
    public void close() {
        isOver = true;
        nodes.values().forEach(NodeProcess::kill);
        cluster.close();
        scope.close();
    }
}
