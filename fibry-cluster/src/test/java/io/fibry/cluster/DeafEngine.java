package io.fibry.cluster;

import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.EngineListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** An engine that loses all frames that come while it is deaf. */
final class DeafEngine implements ClusterEngine {
    final ClusterEngine engine;
    volatile boolean isDeaf;

    DeafEngine(ClusterEngine engine) {
        this.engine = engine;
    }

    @Override
    public View start(NodeInfo self, EngineListener listener) throws Exception {
        return engine.start(self, new EngineListener() {
            @Override
            public void viewChanged(View view, Set<UUID> left) {
                listener.viewChanged(view, left);
            }

            @Override
            public void received(UUID from, ByteBuffer bytes) {
                if (!isDeaf) {
                    listener.received(from, bytes);
                }
            }

            @Override
            public void entryChanged(String table, String key, byte[] value) {
                listener.entryChanged(table, key, value);
            }
        });
    }

    @Override
    public View view() {
        return engine.view();
    }

    @Override
    public boolean send(UUID node, ByteBuffer bytes) throws InterruptedException {
        return engine.send(node, bytes);
    }

    @Override
    public Outcome compareAndSet(String table, String key, byte[] expected, byte[] next) {
        return engine.compareAndSet(table, key, expected, next);
    }

    @Override
    public byte[] get(String table, String key) {
        return engine.get(table, key);
    }

    @Override
    public Map<String, byte[]> all(String table) {
        return engine.all(table);
    }

    @Override
    public boolean synced() {
        return engine.synced();
    }

    @Override
    public boolean leave(Duration deadline) {
        return engine.leave(deadline);
    }

    @Override
    public void close() {
        engine.close();
    }
}
