package io.fibry.bench.jmh;

import io.fibry.Stereotypes;
import io.fibry.bench.jmh.Receiver.Target;
import java.util.Arrays;
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
 * Sends to one receiver, or to several, as fast as possible, and waits until all messages are handled: from the start
 * of the senders to the last message. The mailbox is unbounded, so a whole batch may be in it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class FloodBenchmark {
    /** The number of messages that are sent before the benchmark waits for all of them. */
    public static final int MESSAGES = 1_000_000;
    private static final Object MESSAGE = new Object();

    @Param("" + MESSAGES)
    public int messages;
    @Param
    public Receiver receiver = Receiver.FIBERS;
    @Param({"1", "2", "4"})
    public int senders;
    /** Whether the senders are actors on fibers. Otherwise they are platform threads. */
    @Param({"false", "true"})
    public boolean fromFibers;

    /** Whether each message is an object of its own, as a program's messages are. Otherwise all are the same object. */
    @Param("false")
    public boolean fresh;

    /** The number of receivers among which each sender distributes its messages. */
    @Param({"1", "4"})
    public int receivers;

    private final Stereotypes starters = Stereotypes.fibers();
    private Target[] targets = {};
    private Count[] counts = {};
    private CountDownLatch done = new CountDownLatch(1);

    /**
     * The count of a receiver. It has room on both sides. So what the collector puts beside it, for example a mailbox
     * to which other processors write all the time, is neither in its cache line nor in the next one.
     */
    private static final class Count extends RoomAfter {
        boolean isLast() {
            return ++seen == expected;
        }
    }

    @SuppressWarnings("unused")
    private static class RoomBefore {
        int a0; // otherwise the count would be in the gap behind the header
        long a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16;
    }

    private static class Counted extends RoomBefore {
        int seen;
        int expected;
    }

    @SuppressWarnings("unused")
    private static class RoomAfter extends Counted {
        long b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16;
    }

    @Setup
    public void start() {
        targets = new Target[receivers];
        counts = new Count[receivers];
        for (int i = 0; i < receivers; i++) {
            var count = new Count();
            counts[i] = count;
            targets[i] = receiver.start(message -> {
                if (count.isLast()) {
                    done.countDown();
                }
            });
        }
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void flood() throws InterruptedException {
        var share = messages / senders;
        for (int i = 0; i < receivers; i++) {
            counts[i].seen = 0; // the first message is sent after this
            counts[i].expected = senders * ((share + receivers - 1 - i) / receivers);
        }
        done = new CountDownLatch(receivers);
        for (int i = 1; i < senders; i++) {
            startSender(share);
        }
        if (fromFibers) {
            startSender(share);
        } else {
            sendShare(share);
        }
        if (!done.await(60, TimeUnit.SECONDS) || handled() != messages) {
            throw new AssertionError(handled() + " of " + messages + " messages were handled");
        }
    }

    private int handled() {
        return Arrays.stream(counts).mapToInt(count -> count.seen).sum();
    }

    private void startSender(int share) {
        if (fromFibers) {
            starters.runOnce(() -> sendShare(share));
        } else {
            Thread.ofPlatform().start(() -> sendShare(share));
        }
    }

    private void sendShare(int share) {
        // A copy, since the field is beside what the other processors write.
        var receiving = targets;
        if (receiving.length == 1) {
            if (fresh) {
                sendFresh(receiving[0], share);
            } else {
                sendAll(receiving[0], share);
            }
            return;
        }
        for (int i = 0; i < share; i++) {
            receiving[i % receiving.length].send(fresh ? number(i) : MESSAGE);
        }
    }

    private static void sendAll(Target target, int share) {
        for (int i = share; i > 0; i--) {
            target.send(MESSAGE);
        }
    }

    private static void sendFresh(Target target, int share) {
        for (int i = share; i > 0; i--) {
            target.send(number(i));
        }
    }

    /** Returns a number that {@code Integer} does not cache. */
    private static Object number(int i) {
        return i + 1_000;
    }

    @TearDown
    public void stop() {
        for (var target : targets) {
            target.close();
        }
    }
}
