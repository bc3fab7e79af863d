package io.fibry.cluster.home;

import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.simulation.LoneSurroundings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** The surroundings of one of several members in a test: tables that all of them share, at once; all else is recorded. */
final class RecordingSurroundings implements LoneSurroundings {
    /** How often an entry of a table was looked up. */
    long lookUps;
    final List<HomeDelivery> delivered = new ArrayList<>();
    final Map<Letter, List<Fate>> fates = new LinkedHashMap<>();
    final List<String> answers = new ArrayList<>();
    final List<UUID> dispatched = new ArrayList<>();
    final List<String> probes = new ArrayList<>();
    final List<Long> cancelled = new ArrayList<>();
    final List<String> notes = new ArrayList<>();
    final List<String> drains = new ArrayList<>();
    final ArrayDeque<Change> changes = new ArrayDeque<>();
    final Map<UUID, List<ByteBuffer>> frames = new LinkedHashMap<>();
    private final TreeMap<String, byte[]> tables;
    final List<String> unlike = new ArrayList<>();
    boolean isFree = true;
    NodeLoad load = NodeLoad.NONE;
    Map<UUID, NodeLoad> loads = Map.of();

    RecordingSurroundings(TreeMap<String, byte[]> tables) {
        this.tables = tables;
    }

    /** Makes the changes that are proposed, all of them done. */
    boolean makeChanges(ClusterMember member, Iterable<ClusterMember> all, long now) {
        var any = !changes.isEmpty();
        while (!changes.isEmpty()) {
            var change = changes.remove();
            var name = change.table() + ":" + change.key();
            if (change.next() == null) {
                tables.remove(name);
            } else {
                tables.put(name, change.next());
            }
            all.forEach(other -> other.entryChanged(change.table(), change.key(), now));
            member.changed(change, Outcome.DONE, now);
        }
        return any;
    }

    @Override
    public byte[] entry(String table, String key) {
        lookUps++;
        return tables.get(table + ":" + key);
    }

    @Override
    public Map<String, byte[]> entries(String table) {
        var found = new TreeMap<String, byte[]>();
        tables.forEach((name, value) -> {
            if (name.startsWith(table + ":")) {
                found.put(name.substring(table.length() + 1), value);
            }
        });
        return found;
    }

    @Override
    public void propose(Change change) {
        changes.add(change);
    }

    @Override
    public void dispatched(Letter letter, UUID node) {
        dispatched.add(node);
    }

    @Override
    public void stopped(String group, int slice) {
        // How much is underway is not examined.
    }

    @Override
    public void noted(UUID from, String group, NodeLoad load) {
        notes.add(group + " has " + load.pending());
    }

    @Override
    public NodeLoad load(String group) {
        return load;
    }

    @Override
    public Map<UUID, NodeLoad> loads(String group) {
        return loads;
    }

    @Override
    public void probed(UUID from, long ask, byte[] probe) {
        probes.add(ask + " " + new String(probe, StandardCharsets.UTF_8));
    }

    @Override
    public void hurry(String group, int slice) {
        drains.add(group + "/" + slice + " in a hurry");
    }

    @Override
    public void transmit(UUID node, ByteBuffer frame) {
        frames.computeIfAbsent(node, missing -> new ArrayList<>()).add(frame);
    }

    @Override
    public boolean isFree(UUID node) {
        return isFree;
    }

    @Override
    public void deliver(HomeDelivery delivery) {
        delivered.add(delivery);
    }

    @Override
    public void drain(String group, int slice, boolean gently) {
        drains.add(group + "/" + slice + (gently ? " gently" : " at once"));
    }

    @Override
    public void told(Letter letter, Fate fate) {
        fates.computeIfAbsent(letter, missing -> new ArrayList<>()).add(fate);
    }

    @Override
    public void answered(Letter letter, byte[] answer) {
        answers.add(letter.origin() + "=" + new String(answer, java.nio.charset.StandardCharsets.UTF_8));
    }

    @Override
    public void cancelled(UUID from, long ask) {
        cancelled.add(ask);
    }

    @Override
    public void opened(String group, int slice, long term, byte[] entry) {
        // The tests look at what is delivered.
    }

    @Override
    public void unlike(String group, UUID node, int kind) {
        unlike.add(group + " is " + kind + " on " + node);
    }
}
