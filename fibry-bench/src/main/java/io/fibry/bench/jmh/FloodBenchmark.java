package io.fibry.bench.jmh;

import io.fibry.Stereotypes;
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
 * Sends to one receiver as fast as senders can, and waits until all is handled: from the start of the
 * senders to the last message. The mailbox is unbounded; a batch is what may be in it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class FloodBenchmark {
    /** How many messages are sent before all of them are waited for. */
    public static final int MESSAGES = 1_000_000;
    private static final Object MESSAGE = new Object();

    @Param("" + MESSAGES)
    public int messages;
    @Param
    public Receiver receiver = Receiver.FIBERS;
    @Param({"1", "4"})
    public int senders;
    /** Whether the senders are actors on fibers; else platform threads. */
    @Param({"false", "true"})
    public boolean fromFibers;

    private final Stereotypes starters = Stereotypes.fibers();
    private Receiver.Target target = Receiver.NOBODY;
    private CountDownLatch done = new CountDownLatch(1);
    /** Written by the receiver; its end of one batch happens before the start of the next. */
    private int seen;

    @Setup
    public void start() {
        target = receiver.start(message -> {
            if (++seen == messages) {
                done.countDown();
            }
        });
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void flood() throws InterruptedException {
        seen = 0;
        done = new CountDownLatch(1);
        for (int i = 1; i < senders; i++) {
            startSender();
        }
        if (fromFibers) {
            startSender();
        } else {
            sendShare();
        }
        if (!done.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError(seen + " of " + messages + " messages were handled");
        }
        if (seen != messages) {
            throw new AssertionError(seen + " messages were handled, " + messages + " were sent");
        }
    }

    private void startSender() {
        if (fromFibers) {
            starters.runOnce(this::sendShare);
        } else {
            Thread.ofPlatform().start(this::sendShare);
        }
    }

    private void sendShare() {
        // A copy: the field lies beside the receiver's count, which the other processor writes all the time.
        var receiving = target;
        for (int i = messages / senders; i > 0; i--) {
            receiving.send(MESSAGE);
        }
    }

    @TearDown
    public void stop() {
        target.close();
    }
}
