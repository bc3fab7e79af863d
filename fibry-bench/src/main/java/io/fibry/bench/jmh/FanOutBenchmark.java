package io.fibry.bench.jmh;

import io.fibry.bench.jmh.Peer.Home;
import io.fibry.bench.jmh.Peer.Node;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

/** Sends a message to each of many receivers. When the last one has handled its message, the next round begins. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class FanOutBenchmark {
    /** The number of messages that are sent in all rounds. */
    public static final int MESSAGES = 200_000;
    private static final Integer THING = 1;
    private static final Integer ROUND = -1;
    private static final Integer END = -2;

    @Param("" + MESSAGES)
    public int messages;
    @Param("1000")
    public int receivers;
    @Param
    public Peer peer = Peer.FIBERS;

    private final AtomicInteger missing = new AtomicInteger();
    private Home home = handler -> message -> {
    };
    private Node[] nodes = {};
    private Node sender = message -> {
    };
    private CountDownLatch done = new CountDownLatch(1);
    private int sent;
    private int[] handled = {};

    @Setup
    public void start() {
        home = peer.open();
        nodes = new Node[receivers];
        handled = new int[receivers];
        sender = home.start((where, message) -> {
            if (message.equals(ROUND)) {
                round();
            }
            return message.equals(END);
        });
        for (int i = 0; i < receivers; i++) {
            var me = i;
            nodes[i] = home.start((where, message) -> {
                if (message.equals(THING)) {
                    handled[me]++;
                    if (missing.decrementAndGet() == 0) {
                        sender.send(ROUND);
                    }
                }
                return message.equals(END);
            });
        }
    }

    private void round() {
        if (sent == messages) {
            done.countDown();
            return;
        }
        sent += receivers;
        missing.set(receivers);
        for (var node : nodes) {
            node.send(THING);
        }
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void fanOut() throws InterruptedException {
        Arrays.fill(handled, 0);
        sent = 0;
        done = new CountDownLatch(1);
        sender.send(ROUND);
        if (!done.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("sent " + sent + ", " + missing + " of the last round are missing");
        }
        for (var count : handled) {
            if (count != messages / receivers) {
                throw new AssertionError("one has handled " + count + ", not " + messages / receivers);
            }
        }
    }

    @TearDown
    public void stop() {
        sender.send(END);
        for (var node : nodes) {
            node.send(END);
        }
        home.close();
    }
}
