package io.fibry.cluster;

import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.EngineListener;
import io.fibry.cluster.engine.NotUnderstood;
import io.fibry.cluster.stream.BadFrameException;
import io.fibry.cluster.stream.FrameCodec;
import io.fibry.cluster.stream.StreamFrame;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** An engine that loses all frames that come while it is deaf, and has no lease when it was frozen. */
final class DeafEngine implements ClusterEngine {
    final ClusterEngine engine;
    volatile boolean isDeaf;
    volatile boolean wasFrozen;
    private final AtomicLong heard = new AtomicLong();
    private final AtomicLong unheard = new AtomicLong();

    DeafEngine(ClusterEngine engine) {
        this.engine = engine;
    }

    /** Returns how many items have come that were not heard. */
    long unheard() {
        return Math.max(0, unheard.get() - heard.get());
    }

    /** Returns the number of the last item of a frame; 0 if it has none. */
    private static long lastItem(ByteBuffer bytes) {
        try {
            return FrameCodec.decode(bytes.duplicate()).getLast() instanceof StreamFrame.Items items
                    ? items.first() + items.items().size() - 1
                    : 0;
        } catch (BadFrameException bad) {
            throw new AssertionError(bad);
        }
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
                if (isDeaf) {
                    unheard.accumulateAndGet(lastItem(bytes), Math::max);
                } else {
                    heard.accumulateAndGet(lastItem(bytes), Math::max);
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
    public boolean serves() {
        return !wasFrozen && engine.serves();
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
    public List<Outcome> change(List<Change> changes) {
        return engine.change(changes);
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
    public NotUnderstood notUnderstood() {
        return engine.notUnderstood();
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
