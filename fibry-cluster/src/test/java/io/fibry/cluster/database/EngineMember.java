package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.ClusterException;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.ClusterEngine.View;
import io.fibry.cluster.engine.EngineListener;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** An engine and what it was told. */
final class EngineMember implements EngineListener {
    final NodeInfo info;
    final DatabaseEngine engine;
    final LinkedBlockingQueue<Map.Entry<View, Set<UUID>>> views = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<String> entries = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<String> messages = new LinkedBlockingQueue<>();
    /** What this node serves; it has ended when this is complete. */
    volatile CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);
    /** The name of nodes that this one cannot work with. */
    volatile String unlike = "";
    /** How often this node has refused one of them. */
    final AtomicInteger refusals = new AtomicInteger();
    /** What the thread does that tells of an entry. */
    volatile Runnable whenEntryIsTold = () -> {
    };

    /** What the thread does that tells of a view. */
    volatile Consumer<View> whenViewIsTold = view -> {
    };

    EngineMember(String name, DatabaseSettings settings) {
        this(name, settings, Lease.Clocks.SYSTEM);
    }

    EngineMember(String name, DatabaseSettings settings, Lease.Clocks clocks) {
        this(name, settings, clocks, MachineId.here());
    }

    EngineMember(String name, DatabaseSettings settings, Lease.Clocks clocks, MachineId machine) {
        info = new NodeInfo(UUID.randomUUID(), name.getBytes(StandardCharsets.UTF_8));
        engine = new DatabaseEngine(settings, clocks, machine);
    }

    /** Starts members at the same time, and waits until each sees all. */
    static List<EngineMember> start(int size, DatabaseSettings settings) throws Exception {
        var members = new ArrayList<EngineMember>();
        for (int i = 0; i < size; i++) {
            members.add(new EngineMember("n" + i, settings));
        }
        var starts = members.stream().map(
                each -> CompletableFuture.supplyAsync(each::start, task -> Thread.ofVirtual().start(task)))
                .toList();
        for (var each : starts) {
            assertThat(each.get().majority()).isTrue();
        }
        for (var each : members) {
            each.awaitView(size);
        }
        return members;
    }

    View start() {
        try {
            return engine.start(info, this);
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    Outcome compareAndSet(String table, String key, byte[] expected, byte[] next) {
        return compareAndSet(engine, table, key, expected, next);
    }

    static Outcome compareAndSet(ClusterEngine engine, String table, String key, byte[] expected,
            byte[] next) {
        return engine.change(List.of(new Change(table, key, expected, next))).getFirst();
    }

    UUID id() {
        return info.incarnation();
    }

    boolean send(EngineMember to, String message) throws InterruptedException {
        return engine.send(to.id(), ByteBuffer.wrap(message.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void requireLike(NodeInfo other) {
        var name = new String(other.description(), StandardCharsets.UTF_8);
        if (name.equals(unlike)) {
            refusals.incrementAndGet();
            throw new ClusterException("unlike " + name);
        }
    }

    @Override
    public void viewChanged(View view, Set<UUID> left) {
        whenViewIsTold.accept(view);
        views.add(Map.entry(view, left));
    }

    @Override
    public CompletionStage<?> ended() {
        return ended;
    }

    @Override
    public void received(UUID from, ByteBuffer bytes) {
        messages.add(StandardCharsets.UTF_8.decode(bytes).toString());
    }

    @Override
    public void entryChanged(String table, String key, byte[] value) {
        entries.add(
                table + "/" + key + "=" + (value == null ? null : new String(value, StandardCharsets.UTF_8)));
        whenEntryIsTold.run();
    }

    /** Returns who has left when a view of so many was there. */
    Set<UUID> awaitView(int size) throws InterruptedException {
        while (true) {
            var next = views.poll(60, TimeUnit.SECONDS);
            assertThat(next).as("a view of " + size).isNotNull();
            if (next.getKey().members().size() == size && next.getKey().majority()) {
                return next.getValue();
            }
        }
    }

    /** Waits until this node serves nothing. */
    void awaitSilence() throws InterruptedException {
        await(false);
    }

    /** Waits until this node serves. */
    void awaitService() throws InterruptedException {
        await(true);
    }

    private void await(boolean serves) throws InterruptedException {
        while (true) {
            var next = views.poll(60, TimeUnit.SECONDS);
            assertThat(next).as("a view in which this node " + (serves ? "serves" : "serves nothing"))
                    .isNotNull();
            if (next.getKey().majority() == serves) {
                return;
            }
        }
    }

    /** The members of the view, the oldest one first. */
    List<UUID> seen() {
        return engine.view().members().stream().map(NodeInfo::incarnation).toList();
    }

    void awaitEntry(String entry) throws InterruptedException {
        String told;
        do {
            told = entries.poll(60, TimeUnit.SECONDS);
            assertThat(told).as("is told of " + entry).isNotNull();
        } while (!told.equals(entry));
    }
}
