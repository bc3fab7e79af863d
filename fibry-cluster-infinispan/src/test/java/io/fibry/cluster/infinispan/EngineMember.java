package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** An engine and what it was told. */
final class EngineMember implements EngineListener {
    final NodeInfo info;
    final InfinispanEngine engine;
    final LinkedBlockingQueue<Map.Entry<View, Set<UUID>>> views = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<String> entries = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<String> messages = new LinkedBlockingQueue<>();

    EngineMember(String name, InfinispanSettings settings) {
        info = new NodeInfo(UUID.randomUUID(), name.getBytes(StandardCharsets.UTF_8));
        engine = new InfinispanEngine(settings);
    }

    /** Starts members on ports of this machine at the same time. */
    static List<EngineMember> start(int size, UnaryOperator<InfinispanSettings> with) throws Exception {
        var ports = Ports.free(size);
        var hosts = ports.stream().map(each -> "127.0.0.1:" + each).toList();
        var members = new ArrayList<EngineMember>();
        for (var port : ports) {
            members.add(new EngineMember("n" + port,
                    with.apply(InfinispanSettings.of("test", "127.0.0.1", port, hosts))));
        }
        var starts = members.stream().map(each -> CompletableFuture.supplyAsync(() -> {
            try {
                return each.engine.start(each.info, each);
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }, task -> Thread.ofVirtual().start(task))).toList();
        for (var each : starts) {
            assertThat(each.get().majority()).isTrue();
        }
        for (var each : members) {
            each.awaitView(size);
        }
        return members;
    }

    boolean send(EngineMember to, String message) throws InterruptedException {
        return engine.send(to.info.incarnation(), ByteBuffer.wrap(message.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void viewChanged(View view, Set<UUID> left) {
        views.add(Map.entry(view, left));
    }

    @Override
    public void received(UUID from, ByteBuffer bytes) {
        messages.add(StandardCharsets.UTF_8.decode(bytes).toString());
    }

    @Override
    public void entryChanged(String table, String key, byte[] value) {
        entries.add(table + "/" + key + "="
                + (value == null ? null : new String(value, StandardCharsets.UTF_8)));
    }

    /** Those who have left when a majority of so many was there. */
    Set<UUID> awaitView(int size) throws InterruptedException {
        while (true) {
            var next = views.poll(30, TimeUnit.SECONDS);
            assertThat(next).as("a view of " + size).isNotNull();
            if (next.getKey().members().size() == size && next.getKey().majority()) {
                return next.getValue();
            }
        }
    }
}
