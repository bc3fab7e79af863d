package io.fibry.bench.jmh;

import io.fibry.bench.jmh.Peer.Node;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Sends one message round a ring. A ring of two is tell and tell back. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RingBenchmark {
    /** The number of times that the message is passed on. */
    public static final int HOPS = 1_000_000;
    private static final Integer END = -1;

    @Param("" + HOPS)
    public int hops;
    @Param("503")
    public int size;
    @Param
    public Peer peer = Peer.FIBERS;

    private Peer.Home home = handler -> message -> {
    };
    private Node[] ring = {};
    private CountDownLatch done = new CountDownLatch(1);
    /** Written by the object that has the message. */
    private int handedOn;

    @Setup
    public void start() {
        home = peer.open();
        ring = new Node[size];
        for (int i = 0; i < size; i++) {
            var next = (i + 1) % size;
            ring[i] = home.start((where, message) -> {
                if (message.equals(END)) {
                    return true;
                }
                var left = (Integer) message;
                if (left == 0) {
                    done.countDown();
                } else {
                    handedOn++;
                    ring[next].send(left - 1);
                }
                return false;
            });
        }
    }

    @Benchmark
    @OperationsPerInvocation(HOPS)
    public void ring() throws InterruptedException {
        handedOn = 0;
        done = new CountDownLatch(1);
        ring[0].send(hops);
        if (!done.await(60, TimeUnit.SECONDS) || handedOn != hops) {
            throw new AssertionError("handed on " + handedOn + " times, not " + hops);
        }
    }

    @TearDown
    public void stop() {
        for (var node : ring) {
            node.send(END);
        }
        home.close();
    }
}
