package io.fibry.bench.jmh;

import io.fibry.bench.jmh.Peer.Handler;
import io.fibry.bench.jmh.Peer.Home;
import io.fibry.bench.jmh.Peer.Node;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Skynet: one node starts ten others, each of which starts ten more, and so on. Each leaf sends its number to the node
 * that has started it, and this node sends the sum of its numbers to the node above it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class SkynetBenchmark {
    /** The number of leaves. */
    public static final int LEAVES = 1_000_000;
    private static final int BRANCHES = 10;

    @Param("" + LEAVES)
    public int leaves;
    @Param
    public Peer peer = Peer.FIBERS;

    private Home home = handler -> message -> {
    };

    @Setup
    public void open() {
        home = peer.open();
    }

    private record Begin(Node parent, Node self, long first, int size) {
    }

    private static final class Member implements Handler {
        private Node parent = message -> {
        };
        private long sum;
        private int missing = BRANCHES;

        @Override
        public boolean handle(Home home, Object message) {
            if (message instanceof Begin begin) {
                return begins(home, begin);
            }
            sum += (Long) message;
            if (--missing == 0) {
                parent.send(sum);
            }
            return missing == 0;
        }

        private boolean begins(Home home, Begin begin) {
            if (begin.size == 1) {
                begin.parent.send(begin.first);
                return true;
            }
            parent = begin.parent;
            var part = begin.size / BRANCHES;
            for (int i = 0; i < BRANCHES; i++) {
                var child = home.start(new Member());
                child.send(new Begin(begin.self, child, begin.first + (long) i * part, part));
            }
            return false;
        }
    }

    @Benchmark
    public long skynet() throws Exception {
        var result = new CompletableFuture<Long>();
        var root = home.start(new Member());
        root.send(new Begin(sum -> result.complete((Long) sum), root, 0, leaves));
        var sum = result.get(60, TimeUnit.SECONDS);
        if (sum != (long) leaves * (leaves - 1) / 2) {
            throw new AssertionError("the sum is " + sum);
        }
        return sum;
    }

    @TearDown
    public void close() {
        home.close();
    }
}
