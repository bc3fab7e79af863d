package io.fibry.bench.jmh;

import io.fibry.Stereotypes;
import io.fibry.bench.jmh.CounterKind.Count;
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
    /** What the senders are. */
    @Param
    public Sender from = Sender.PLATFORM;

    /** Whether each message is an object of its own, as a program's messages are. Otherwise all are the same object. */
    @Param("true")
    public boolean fresh;

    /** What the handler counts with. */
    @Param
    public CounterKind counter = CounterKind.PLAIN;

    /** Whether receivers and counters are made anew for each invocation; otherwise they are old for the collector. */
    @Param("false")
    public boolean young;

    /** The number of receivers among which each sender distributes its messages. */
    @Param({"1", "4"})
    public int receivers;

    private final Stereotypes starters = Stereotypes.fibers();
    private Target[] targets = {};
    private Count[] counts = {};
    private CountDownLatch done = new CountDownLatch(1);

    /** The kinds of senders. */
    public enum Sender {
        /** Platform threads. */
        PLATFORM,
        /** Virtual threads. */
        VIRTUAL,
        /** Actors on fibers. */
        FIBERS
    }

    @Setup
    public void start() {
        makeReceivers();
        if (!young) {
            System.gc(); // what lives long in a program is old
        }
    }

    private void makeReceivers() {
        targets = new Target[receivers];
        counts = new Count[receivers];
        for (int i = 0; i < receivers; i++) {
            var count = counter.before();
            counts[i] = count;
            targets[i] = receiver.start(message -> {
                if (count.isLast()) {
                    done.countDown();
                }
            });
            count.after(counter);
        }
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void flood() throws InterruptedException {
        if (young) {
            stop();
            makeReceivers();
        }
        var share = messages / senders;
        for (int i = 0; i < receivers; i++) {
            counts[i].expect(senders * ((share + receivers - 1 - i) / receivers)); // the first message is sent after this
        }
        done = new CountDownLatch(receivers);
        for (int i = 1; i < senders; i++) {
            startSender(share);
        }
        if (from == Sender.PLATFORM) {
            sendShare(share);
        } else {
            startSender(share);
        }
        if (!done.await(60, TimeUnit.SECONDS) || handled() != messages) {
            throw new AssertionError(handled() + " of " + messages + " messages were handled");
        }
    }

    private int handled() {
        return Arrays.stream(counts).mapToInt(Count::seen).sum();
    }

    private void startSender(int share) {
        switch (from) {
            case PLATFORM -> Thread.ofPlatform().start(() -> sendShare(share));
            case VIRTUAL -> Thread.startVirtualThread(() -> sendShare(share));
            case FIBERS -> starters.runOnce(() -> sendShare(share));
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
