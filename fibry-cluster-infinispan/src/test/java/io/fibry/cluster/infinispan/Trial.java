package io.fibry.cluster.infinispan;

import io.fibry.cluster.trial.ChangeHistory;
import io.fibry.cluster.trial.NodeProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Nodes in processes of their own that change the same entries, while they are killed, frozen and cut off from one another; and what became of each
 * change ({@link ChangeHistory}).
 */
final class Trial implements AutoCloseable {
    static final int KEYS = 16;
    private static final String SERVED = " served again";

    /** What may happen to a cluster. */
    enum Fault {
        /** The process of one node ends at once. */
        KILL,
        /** One node stops for a time. */
        FREEZE,
        /** Two parts do not hear each other for a time. */
        CUT,
        /** As a cut, but one link after another. */
        FRAY,
        /** One hears the others, who do not hear it. */
        DEAF,
        /** A node says goodbye, and its process ends. */
        LEAVE,
        /** A cut, and a kill on the larger side while it lasts. */
        CUT_AND_KILL
    }

    private final Path folder;
    private final int size;
    private final long detection;
    private final Random random;
    private final boolean namespaces;
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<Path> logs = new ArrayList<>();
    private final Map<Path, Integer> read = new HashMap<>();
    private final ChangeHistory history = new ChangeHistory();
    private final List<String> faults = new ArrayList<>();
    private final Map<String, List<Long>> times = new TreeMap<>();
    private final List<Integer> ports;
    private int begun;

    Trial(Path folder, int size, long detection, long seed, boolean namespaces, List<Integer> ports)
            throws Exception {
        this.folder = folder;
        this.size = size;
        this.detection = detection;
        this.namespaces = namespaces;
        this.ports = ports;
        random = new Random(seed);
        if (namespaces) {
            Namespaces.open(size);
        }
        for (var i = 0; i < size; i++) {
            nodes.add(start(i));
        }
        for (var each : nodes) {
            each.awaitReady();
        }
        awaitWhole();
    }

    private NodeProcess start(int index) throws IOException {
        var log = folder.resolve("changes-" + begun + ".log");
        logs.add(log);
        var hosts = new ArrayList<String>();
        for (var i = 0; i < size; i++) {
            hosts.add(host(i) + ":" + ports.get(i));
        }
        var name = "n" + begun++;
        return new NodeProcess(name, index, host(index) + ":" + ports.get(index),
                namespaces ? Namespaces.prefix(index) : List.of(), List.of(),
                List.of(HammerNode.class.getName(), name, host(index), "" + ports.get(index),
                        String.join(",", hosts),
                        "" + detection, log.toString()),
                Map.of(), folder);
    }

    private String host(int index) {
        return namespaces ? Namespaces.host(index) : "127.0.0.1";
    }

    /** Waits until all see all, and all entries are everywhere. */
    private void awaitWhole() throws Exception {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        while (true) {
            var states = new ArrayList<String>();
            for (var each : nodes) {
                states.add(each.ask("status"));
            }
            if (states.stream().allMatch(each -> each.startsWith(size + " true true"))) {
                return;
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("not whole after 90 s: " + states + " after " + last() + states());
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** The last changes of each entry. */
    private String newest() {
        var text = new StringBuilder();
        for (var i = 0; i < KEYS; i++) {
            var key = "k" + i;
            var ofKey = history.changes().stream().filter(change -> change.key.equals(key))
                    .sorted(Comparator.comparing(change -> change.begin)).toList();
            text.append("\n").append(key).append(": ")
                    .append(ofKey.subList(Math.max(0, ofKey.size() - 12), ofKey.size()).stream()
                            .map(change -> change.node + " from " + change.expected + " " + change.outcome
                                    + " after "
                                    + (change.end == Long.MAX_VALUE ? "?"
                                            : (change.end - change.begin) / 1_000_000)
                                    + " ms")
                            .toList());
        }
        return text.toString();
    }

    /** What each node knows, and has logged last. */
    private String states() throws Exception {
        var text = new StringBuilder();
        for (var each : nodes) {
            text.append("\n").append(each.name())
                    .append(each.isAlive() ? ": " + each.ask("state") : ": has ended");
            var lines = each.log().lines().toList();
            lines.subList(Math.max(0, lines.size() - 60), lines.size())
                    .forEach(line -> text.append("\n  ").append(line));
        }
        return text.toString();
    }

    private String last() {
        return faults.isEmpty() ? "the start" : faults.getLast();
    }

    void hammer() throws Exception {
        for (var each : nodes) {
            each.ask("hammer " + KEYS + " 3");
        }
    }

    /** Does one harm, waits until all is whole again, and checks all changes. */
    void harm(Fault fault) throws Exception {
        var start = System.nanoTime();
        var victims = new ArrayList<>(nodes);
        Collections.shuffle(victims, random);
        // A minority, or for cuts any part.
        var less = Math.max(1, size == 2 ? 1 : 1 + random.nextInt((size - 1) / 2));
        var part = new ArrayList<>(victims.subList(0, less));
        var rest = new ArrayList<>(victims.subList(less, size));
        var millis = random.nextBoolean() ? 300 + random.nextInt((int) detection)
                : detection + 1500 + random.nextInt(3000);
        var told = fault + " of " + part + " for " + millis + " ms, seed step " + faults.size();
        faults.add(told);
        TimeUnit.MILLISECONDS.sleep(200 + random.nextInt(500));
        var begin = System.nanoTime();
        var end = begin;
        Set<String> cutOff = new HashSet<>();
        switch (fault) {
            case KILL -> {
                part.getFirst().kill();
                rest.addAll(part.subList(1, part.size()));
                begin = System.nanoTime();
                served(fault, rest, begin);
                restart(part.getFirst());
            }
            case LEAVE -> {
                // Its own changes rest, since it serves none any more.
                part.getFirst().ask("rest");
                begin = System.nanoTime();
                var answer = part.getFirst().ask("leave 20");
                time("leave took", System.nanoTime() - begin);
                if (!answer.equals("true")) {
                    throw new AssertionError(told + ": leave answered " + answer);
                }
                rest.addAll(part.subList(1, part.size()));
                served(fault, rest, begin);
                part.getFirst().kill();
                restart(part.getFirst());
            }
            case FREEZE -> {
                var frozen = part.getFirst();
                frozen.signal("STOP");
                begin = System.nanoTime();
                if (millis > detection && size > 2) {
                    rest.addAll(part.subList(1, part.size()));
                    served(fault, rest, begin);
                }
                TimeUnit.MILLISECONDS.sleep(millis);
                frozen.signal("CONT");
            }
            case CUT, FRAY, DEAF, CUT_AND_KILL -> {
                part.forEach(each -> cutOff.add(each.name()));
                cut(fault, part, rest);
                begin = System.nanoTime();
                var killed = fault == Fault.CUT_AND_KILL ? rest.getFirst() : null;
                if (killed != null) {
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(1000));
                    killed.kill();
                }
                if (fault == Fault.CUT && millis > detection && size > 2) {
                    served(fault, rest, begin);
                }
                TimeUnit.MILLISECONDS.sleep(millis);
                end = System.nanoTime();
                heal(fault, part, rest);
                if (killed != null) {
                    restart(killed);
                }
            }
        }
        awaitWhole();
        time(fault + " whole again", System.nanoTime() - Math.max(begin, end));
        if (fault == Fault.CUT || fault == Fault.FRAY) {
            readChanges();
            require(told, history.acknowledgedBy(cutOff, begin, end));
        }
        check(told);
        System.out.println(told + ": took " + (System.nanoTime() - start) / 1_000_000 + " ms");
    }

    private void restart(NodeProcess dead) throws Exception {
        var again = start(dead.index());
        nodes.set(nodes.indexOf(dead), again);
        again.awaitReady();
        again.ask("hammer " + KEYS + " 3");
    }

    private void cut(Fault fault, List<NodeProcess> part, List<NodeProcess> rest) throws Exception {
        if (namespaces) {
            for (var each : part) {
                if (fault == Fault.DEAF && Namespaces.canMute()) {
                    Namespaces.mute(each.index());
                } else {
                    Namespaces.cut(each.index());
                }
                if (fault == Fault.FRAY) {
                    TimeUnit.MILLISECONDS.sleep(random.nextInt((int) detection));
                }
            }
            return;
        }
        var whom = new ArrayList<>(rest);
        Collections.shuffle(whom, random);
        for (var other : whom) {
            for (var each : part) {
                each.ask("cut " + other.address());
                if (fault != Fault.DEAF) {
                    other.ask("cut " + each.address());
                }
            }
            if (fault == Fault.FRAY) {
                TimeUnit.MILLISECONDS.sleep(random.nextInt((int) detection));
            }
        }
    }

    private void heal(Fault fault, List<NodeProcess> part, List<NodeProcess> rest) throws Exception {
        if (namespaces) {
            for (var each : part) {
                if (fault == Fault.DEAF && Namespaces.canMute()) {
                    Namespaces.unmute(each.index());
                }
                Namespaces.heal(each.index());
            }
            return;
        }
        for (var each : nodes) {
            if (each.isAlive()) {
                each.ask("heal");
            }
        }
    }

    /** Waits until each entry was changed by one of these after the fault, and notes how long it took. */
    private void served(Fault fault, List<NodeProcess> by, long since) throws Exception {
        var names = new HashSet<String>();
        by.forEach(each -> names.add(each.name()));
        var stop = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (System.nanoTime() < stop) {
            readChanges();
            var first = new HashMap<String, Long>();
            for (var change : history.changes()) {
                if (change.begin > since && change.isDone() && names.contains(change.node)) {
                    first.merge(change.key, change.end, Math::min);
                }
            }
            if (first.size() == KEYS) {
                time(fault + SERVED, Collections.max(first.values()) - since);
                return;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new AssertionError("not served 60 s after " + last() + newest() + states());
    }

    private void time(String what, long nanos) {
        times.computeIfAbsent(what, each -> new ArrayList<>()).add(nanos);
    }

    private void readChanges() throws IOException {
        for (var log : logs) {
            if (!Files.exists(log)) {
                continue;
            }
            var from = read.getOrDefault(log, 0);
            byte[] bytes;
            try (var in = Files.newByteChannel(log)) {
                in.position(from);
                var buffer = java.nio.ByteBuffer.allocate((int) (in.size() - from));
                while (buffer.hasRemaining() && in.read(buffer) >= 0) {
                    // The rest of what was there.
                }
                bytes = java.util.Arrays.copyOf(buffer.array(), buffer.position());
            }
            var text = new String(bytes, StandardCharsets.UTF_8);
            var whole = text.lastIndexOf('\n') + 1;
            read.put(log, from + whole);
            for (var line : text.substring(0, whole).lines().toList()) {
                history.read(line);
            }
        }
    }

    private void require(String after, List<String> wrong) {
        if (!wrong.isEmpty()) {
            throw new AssertionError(after + ": " + wrong + " after " + faults);
        }
    }

    /** Stops all changes, compares what the nodes have, and follows each entry back to its beginning. */
    private void check(String after) throws Exception {
        for (var each : nodes) {
            each.ask("rest");
        }
        awaitWhole();
        readChanges();
        var dumps = new LinkedHashMap<String, String>();
        var start = System.nanoTime();
        do {
            for (var each : nodes) {
                dumps.put(each.name(), each.ask("dump"));
            }
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(20)) {
                throw new AssertionError(after + ": nodes differ after 20 s " + dumps + states());
            }
        } while (Set.copyOf(dumps.values()).size() != 1);
        time("equal again", System.nanoTime() - start);
        require(after, history.faults(dumps.values().iterator().next()));
        hammer();
    }

    /** The figures so far. */
    String figures() {
        var text = new StringBuilder(faults.size() + " faults, changes " + history.outcomes());
        times.forEach((what, all) -> {
            Collections.sort(all);
            text.append("\n").append(what).append(" (").append(all.size()).append("): median ")
                    .append(all.get(all.size() / 2) / 1_000_000).append(" ms, longest ")
                    .append(all.getLast() / 1_000_000).append(" ms");
        });
        return text.toString();
    }

    /** How long it took at most until all entries were changed again after such a fault. */
    Duration longestOutage(Fault fault) {
        return Duration.ofNanos(Collections.max(times.get(fault + SERVED)));
    }

    List<NodeProcess> nodes() {
        return nodes;
    }

    @Override
    public void close() throws IOException {
        nodes.forEach(NodeProcess::kill);
        if (namespaces) {
            Namespaces.close(size);
        }
    }
}
