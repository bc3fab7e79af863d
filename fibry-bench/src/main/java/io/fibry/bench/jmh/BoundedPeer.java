package io.fibry.bench.jmh;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Stereotypes;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import kotlinx.coroutines.channels.BufferOverflow;

/** Bounded mailboxes, and what they do when they are full. The sender is of the same kind as the receiver. */
public enum BoundedPeer {
    /** Actors on fibers; the sender waits. */
    FIBRY_BLOCK,
    /** The new message is dropped. */
    FIBRY_DROP_NEWEST,
    /** The oldest message is dropped. */
    FIBRY_DROP_OLDEST,
    /** The new message is refused. */
    FIBRY_REJECT,
    /** The sender gets an exception. */
    FIBRY_FAIL,
    /** Virtual threads; the sender waits. */
    VIRTUAL_BLOCK,
    /** Virtual threads; the new message is dropped. */
    VIRTUAL_DROP_NEWEST,
    /** Coroutines; the sender is suspended. */
    KOTLIN_BLOCK,
    /** Coroutines; the new message is dropped. */
    KOTLIN_DROP_NEWEST,
    /** Coroutines; the oldest message is dropped. */
    KOTLIN_DROP_OLDEST,
    /** Apache Pekko; the sender's thread waits. */
    PEKKO_BLOCK;

    static final int CAPACITY = 1_000;
    static final Object MESSAGE = new Object();

    /** What became of the messages. */
    record Outcome(long handled, long lost) {
    }

    boolean mayLose() {
        return !name().endsWith("_BLOCK");
    }

    Outcome send(int messages) throws InterruptedException {
        return switch (this) {
            case FIBRY_BLOCK -> fibry(OverflowPolicy.block(), messages);
            case FIBRY_DROP_NEWEST -> fibry(OverflowPolicy.dropNewest(), messages);
            case FIBRY_DROP_OLDEST -> fibry(OverflowPolicy.dropOldest(), messages);
            case FIBRY_REJECT -> fibry(OverflowPolicy.reject(), messages);
            case FIBRY_FAIL -> fibry(OverflowPolicy.fail(), messages);
            case VIRTUAL_BLOCK -> virtual(BlockingQueue::put, messages);
            case VIRTUAL_DROP_NEWEST -> virtual(BlockingQueue::offer, messages);
            case KOTLIN_BLOCK -> CoroutinePeers.bounded(messages, CAPACITY, BufferOverflow.SUSPEND);
            case KOTLIN_DROP_NEWEST -> CoroutinePeers.bounded(messages, CAPACITY, BufferOverflow.DROP_LATEST);
            case KOTLIN_DROP_OLDEST -> CoroutinePeers.bounded(messages, CAPACITY, BufferOverflow.DROP_OLDEST);
            case PEKKO_BLOCK -> PekkoBounded.send(messages);
        };
    }

    private static Outcome fibry(OverflowPolicy overflow, int messages) {
        var handled = new long[1];
        var actor = ActorSystem.anonymous().strategy(CreationStrategy.fibers())
                .mailbox(MailboxPolicy.bounded(CAPACITY, overflow)).newActor((Object message) -> {
                    handled[0]++;
                });
        Stereotypes.fibers().runOnceSilent(() -> {
            for (int i = 0; i < messages; i++) {
                try {
                    actor.sendMessage(MESSAGE);
                } catch (MailboxFullException counted) {
                    continue;
                }
            }
        }).waitForExit();
        actor.close();
        var counters = actor.counters();
        if (counters.handled() != handled[0]) {
            throw new AssertionError(counters + ", but handled were " + handled[0]);
        }
        return new Outcome(handled[0], counters.dropped() + counters.refused());
    }

    private interface Put {
        void put(BlockingQueue<Object> queue, Object message) throws InterruptedException;
    }

    private static Outcome virtual(Put put, int messages) throws InterruptedException {
        var end = new Object();
        var queue = new ArrayBlockingQueue<Object>(CAPACITY);
        var handled = new long[1];
        var receiver = start(() -> {
            while (queue.take() != end) {
                handled[0]++;
            }
        });
        start(() -> {
            for (int i = 0; i < messages; i++) {
                put.put(queue, MESSAGE);
            }
            queue.put(end);
        }).join();
        receiver.join();
        return new Outcome(handled[0], messages - handled[0]);
    }

    private interface Code {
        void run() throws InterruptedException;
    }

    private static Thread start(Code code) {
        return Thread.startVirtualThread(() -> {
            try {
                code.run();
            } catch (InterruptedException nobodyDoesThat) {
                throw new IllegalStateException(nobodyDoesThat);
            }
        });
    }
}
