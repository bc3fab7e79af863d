package io.fibry.bench.jmh;

import io.fibry.bench.jmh.Receiver.Target;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * An actor written by hand: a virtual thread that takes messages from an array queue of JCTools, and parks when there is none. The
 * queue moves its index by an atomic step before it stores a message, so a thread that has set {@code waits} and then
 * finds the queue empty is woken by whichever thread moves the index next.
 */
final class ParkingQueue implements Target {
    private static final int CHUNK = 1024;
    private static final Object POISON = new Object();

    private final MpscUnboundedArrayQueue<Object> queue = new MpscUnboundedArrayQueue<>(CHUNK);
    private final Thread thread;
    private volatile boolean waits;

    ParkingQueue(Consumer<Object> handler) {
        thread = Thread.startVirtualThread(() -> {
            for (var message = take(); message != POISON; message = take()) {
                handler.accept(message);
            }
        });
    }

    private Object take() {
        var message = queue.poll();
        while (message == null) {
            waits = true;
            if (queue.isEmpty()) {
                LockSupport.park(this);
            }
            waits = false;
            message = queue.poll();
        }
        return message;
    }

    @Override
    public void send(Object message) {
        queue.offer(message);
        if (waits) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void close() {
        send(POISON);
        Poisoned.join(thread);
    }
}
