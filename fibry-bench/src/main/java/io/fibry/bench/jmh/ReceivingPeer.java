package io.fibry.bench.jmh;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.ReceivingContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The kinds of receivers. Each returns the sum of the numbers that it wanted. */
public enum ReceivingPeer {
    /** A receiving actor on a fiber. */
    FIBRY,
    /** A virtual thread, its queue, and a list of messages that it has taken and does not want yet. */
    VIRTUAL,
    /** A coroutine and its channel, in order only. */
    KOTLIN;

    private static final String OTHER = "not wanted";

    private interface Taking {
        long take() throws InterruptedException;
    }

    long receive(int messages, boolean selective, int others) throws InterruptedException {
        return switch (this) {
            case FIBRY -> fibry(messages, selective, others);
            case VIRTUAL -> virtual(messages, selective, others);
            case KOTLIN -> CoroutinePeers.receive(messages, to -> send(messages, others, to));
        };
    }

    private static void send(int messages, int others, Consumer<Object> to) {
        for (int i = 0; i < others; i++) {
            to.accept(OTHER);
        }
        for (int i = 0; i < messages; i++) {
            to.accept(i);
        }
    }

    private static long fibry(int messages, boolean selective, int others) throws InterruptedException {
        var result = new CompletableFuture<Long>();
        var actor = ActorSystem.anonymous().strategy(CreationStrategy.fibers())
                .newReceivingActor((ReceivingContext<Object> inbox) -> {
                    long sum = 0;
                    for (int i = 0; i < messages; i++) {
                        sum += (Integer) (selective ? inbox.receive(Integer.class::isInstance)
                                : inbox.receive());
                    }
                    for (int i = 0; i < others; i++) {
                        sum += inbox.receive().equals(OTHER) ? 0 : -1;
                    }
                    result.complete(sum);
                });
        send(messages, others, actor::sendMessage);
        var sum = awaited(result);
        actor.close();
        return sum;
    }

    private static long virtual(int messages, boolean selective, int others) throws InterruptedException {
        var queue = new LinkedTransferQueue<>();
        Deque<Object> saved = new ArrayDeque<>();
        var result = started(() -> {
            long sum = 0;
            for (int i = 0; i < messages; i++) {
                sum += selective ? wanted(saved, queue) : (Integer) queue.take();
            }
            return saved.size() == others ? sum : -1;
        });
        send(messages, others, queue::add);
        return awaited(result);
    }

    private static Integer wanted(Deque<Object> saved, LinkedTransferQueue<Object> queue)
            throws InterruptedException {
        for (var message : saved) {
            if (message instanceof Integer number) {
                saved.remove(message);
                return number;
            }
        }
        while (true) {
            if (queue.take() instanceof Integer number) {
                return number;
            }
            saved.add(OTHER);
        }
    }

    private static CompletableFuture<Long> started(Taking taking) {
        var result = new CompletableFuture<Long>();
        Thread.startVirtualThread(() -> {
            try {
                result.complete(taking.take());
            } catch (InterruptedException nobodyDoesThat) {
                result.completeExceptionally(nobodyDoesThat);
            }
        });
        return result;
    }

    private static long awaited(CompletableFuture<Long> result) throws InterruptedException {
        try {
            return result.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("not all were received", e);
        }
    }
}
