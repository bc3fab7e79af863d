package io.fibry.bench.jmh;

import io.fibry.bench.jmh.Peer.Home;
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

/**
 * An actor sends another one some messages, waits for the message that they are done, and begins again. With one
 * message at a time this is tell and tell back.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TellBenchmark {
    /** The number of messages that are sent. The messages back are not counted. */
    public static final int TELLS = 400_000;
    private static final Integer START = -1;
    private static final Integer DONE = -2;
    private static final Integer END = -3;
    private static final Integer THING = 1;

    @Param("" + TELLS)
    public int tells;
    /** The number of messages that are sent before the sender waits for the message back. */
    @Param({"1", "100"})
    public int burst;
    @Param
    public Peer peer = Peer.FIBERS;

    private Home home = handler -> message -> {
    };
    private Node told = message -> {
    };
    private Node telling = told;
    private CountDownLatch done = new CountDownLatch(1);
    /** Written by the receiver. */
    private int handled;
    /** Written by the sender. */
    private int sent;

    @Setup
    public void start() {
        home = peer.open();
        told = home.start((where, message) -> {
            if (message.equals(THING) && ++handled % burst == 0) {
                telling.send(DONE);
            }
            return message.equals(END);
        });
        telling = home.start((where, message) -> {
            if (message.equals(DONE) && sent >= tells) {
                done.countDown();
            } else if (!message.equals(END)) {
                sendBurst();
            }
            return message.equals(END);
        });
    }

    private void sendBurst() {
        sent += burst;
        for (int i = 0; i < burst; i++) {
            told.send(THING);
        }
    }

    @Benchmark
    @OperationsPerInvocation(TELLS)
    public void tell() throws InterruptedException {
        handled = 0;
        sent = 0;
        done = new CountDownLatch(1);
        telling.send(START);
        if (!done.await(60, TimeUnit.SECONDS) || handled != sent || handled != tells) {
            throw new AssertionError("told " + sent + ", handled " + handled + ", wanted " + tells);
        }
    }

    @TearDown
    public void stop() {
        told.send(END);
        telling.send(END);
        home.close();
    }
}
