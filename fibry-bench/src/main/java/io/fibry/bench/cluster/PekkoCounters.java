package io.fibry.bench.cluster;

import com.typesafe.config.ConfigFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.sharding.ClusterSharding;
import org.apache.pekko.cluster.sharding.ClusterShardingSettings;
import org.apache.pekko.cluster.sharding.ShardRegion;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.serialization.JSerializer;

/**
 * By Pekko Cluster Sharding. Its split brain resolver decides after 5 seconds instead of 20; all else is as it comes. Messages are written by
 * hand, which is cheaper than any codec.
 */
final class PekkoCounters implements SharedCounters {
    private static final int SHARDS = 256;
    private static final String CONFIG = """
            pekko {
              loglevel = ERROR
              stdout-loglevel = ERROR
              actor {
                provider = cluster
                serializers.counters = "io.fibry.bench.cluster.PekkoCounters$Bytes"
                serialization-bindings {
                  "io.fibry.bench.cluster.PekkoCounters$Add" = counters
                  "io.fibry.bench.cluster.SharedCounters$Count" = counters
                }
              }
              remote.artery.canonical { hostname = "127.0.0.1", port = %d }
              cluster {
                seed-nodes = [%s]
                downing-provider-class = "org.apache.pekko.cluster.sbr.SplitBrainResolverProvider"
                split-brain-resolver.stable-after = 5s
              }
              coordinated-shutdown.exit-jvm = off
            }""";

    private record Add(int key, int number, boolean isAsk) {
    }

    /** Writes the messages. Public because Pekko demands it. */
    public static final class Bytes extends JSerializer {
        @Override
        public int identifier() {
            return 4711;
        }

        @Override
        public boolean includeManifest() {
            return false;
        }

        @Override
        public byte[] toBinary(Object message) {
            return switch (message) {
                case Add add -> ByteBuffer.allocate(10).put((byte) 0).putInt(add.key).putInt(add.number)
                        .put((byte) (add.isAsk ? 1 : 0)).array();
                case Count count -> {
                    var node = count.node().getBytes(StandardCharsets.UTF_8);
                    yield ByteBuffer.allocate(9 + node.length).put((byte) 1).putLong(count.value()).put(node)
                            .array();
                }
                default -> throw new IllegalArgumentException("unknown: " + message);
            };
        }

        @Override
        public Object fromBinaryJava(byte[] bytes, Class<?> manifest) {
            var in = ByteBuffer.wrap(bytes);
            return in.get() == 0 ? new Add(in.getInt(), in.getInt(), in.get() != 0)
                    : new Count(new String(bytes, 9, bytes.length - 9, StandardCharsets.UTF_8), in.getLong());
        }
    }

    private static final class Counter extends AbstractActor {
        private final String node;
        private final LongAdder handled;
        private long sum;

        Counter(String node, LongAdder handled) {
            this.node = node;
            this.handled = handled;
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().match(Add.class, add -> {
                sum += add.number;
                handled.add(add.number);
                if (add.isAsk) {
                    getSender().tell(new Count(node, sum), getSelf());
                }
            }).build();
        }
    }

    private final ActorSystem system;
    private final ActorRef counters;
    private final LongAdder handled = new LongAdder();

    PekkoCounters(String name, int port, String hosts) throws InterruptedException {
        var seeds = Arrays.stream(hosts.split(",")).map(each -> "\"pekko://counters@" + each + "\"")
                .collect(Collectors.joining(","));
        system = ActorSystem.create("counters",
                ConfigFactory.parseString(CONFIG.formatted(port, seeds)).withFallback(ConfigFactory.load()));
        var isUp = new CountDownLatch(1);
        Cluster.get(system).registerOnMemberUp(isUp::countDown);
        isUp.await();
        counters = ClusterSharding.get(system).start("counters",
                Props.create(Counter.class, () -> new Counter(name, handled)),
                ClusterShardingSettings.create(system), new ShardRegion.HashCodeMessageExtractor(SHARDS) {
                    @Override
                    public String entityId(Object message) {
                        return message instanceof Add add ? "" + add.key : null;
                    }
                });
    }

    @Override
    public CompletionStage<Count> add(int key, int number, Duration limit) {
        return Patterns.ask(counters, new Add(key, number, true), limit).thenApply(Count.class::cast);
    }

    @Override
    public boolean addOne(int key) {
        counters.tell(new Add(key, 1, false), ActorRef.noSender());
        return true;
    }

    @Override
    public long handled() {
        return handled.sum();
    }

    @Override
    public void leave() {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().join();
    }
}
