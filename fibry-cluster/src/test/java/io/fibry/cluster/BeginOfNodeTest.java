package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.View;
import io.fibry.cluster.engine.EngineListener;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.testing.Promise;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An engine may have joined, and its lease may be over before it has told so: then it joins again. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class BeginOfNodeTest {
    private static final View CUT_OFF = new View(0, List.of(), false);

    private final ClusterEngine real = new MemoryNetwork().node();
    /** Tells the view that the node has missed; set when the engine has started. */
    private volatile Runnable tells;

    private ClusterEngine engine() {
        return (ClusterEngine) Proxy.newProxyInstance(ClusterEngine.class.getClassLoader(),
                new Class<?>[]{ClusterEngine.class}, (self, method, arguments) -> {
                    if (method.getName().equals("start")) {
                        var view =
                                real.start((NodeInfo) arguments[0], listener((EngineListener) arguments[1]));
                        tells = () -> ((EngineListener) arguments[1]).viewChanged(view, Set.of());
                        return CUT_OFF;
                    }
                    try {
                        return method.getName().equals("view") ? CUT_OFF : method.invoke(real, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private static EngineListener listener(EngineListener listener) {
        return new EngineListener() {
            @Override
            public void viewChanged(View view, Set<UUID> left) {
                listener.viewChanged(CUT_OFF, left);
            }

            @Override
            public void received(UUID from, ByteBuffer bytes) {
                listener.received(from, bytes);
            }

            @Override
            public void entryChanged(String table, String key, byte[] value) {
                listener.entryChanged(table, key, value);
            }
        };
    }

    private Cluster open(ActorScope scope, Duration limit) {
        return JoinedCluster.open(scope, ClusterOptions.alone().name("a"), engine(),
                new NodeDescription("a", 16, true),
                limit);
    }

    @Promise("92.7")
    @Test
    void openWaitsUntilTheNodeServes() throws Exception {
        try (var scope = ActorSystem.open("a")) {
            var opens = new FutureTask<>(() -> open(scope, Duration.ofMinutes(1)));
            var thread = Thread.ofPlatform().start(opens);
            while (tells == null || (thread.getState() != Thread.State.TIMED_WAITING && !opens.isDone())) {
                Thread.onSpinWait();
            }
            assertThat(opens).isNotDone();
            tells.run();
            try (var cluster = opens.get()) {
                assertThat(cluster.members()).containsExactly(cluster.self());
                assertThat(cluster.serves()).isTrue();
            }
        }
    }

    @Promise("92.7")
    @Test
    void aNodeThatIsCutOffAllTheTimeIsNotOpened() {
        try (var scope = ActorSystem.open("a")) {
            assertThatThrownBy(() -> open(scope, Duration.ofMillis(1))).isInstanceOf(ClusterException.class)
                    .hasMessageContaining("it is cut off, still after PT0.001S");
        }
    }
}
