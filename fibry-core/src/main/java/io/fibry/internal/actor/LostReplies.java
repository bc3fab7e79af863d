package io.fibry.internal.actor;

import io.fibry.internal.run.Strategies;
import io.fibry.message.ReplyLostException;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Finds the deferred replies that no program can complete any more: the garbage collector queues them, and a thread fails
 * their asks. All open replies are listed here, and so are their actors: a reference that is itself unreachable would never be
 * queued, and its asker would wait for ever.
 *
 * <p>The thread starts with the first deferred reply, waits at the queue, and is a daemon. It runs no code of a user: fibers
 * complete the answers. A reply that is open takes about 150 bytes here, in the list of its actor and for its handle.
 */
public final class LostReplies {
    static final ReferenceQueue<ReplyHandle<?>> QUEUE = new ReferenceQueue<>();
    private static final Set<OpenReply> OPEN = ConcurrentHashMap.newKeySet();
    private static final AtomicReference<@Nullable Thread> WATCHER = new AtomicReference<>();

    private LostReplies() {
    }

    static void watch(OpenReply reply) {
        OPEN.add(reply);
        if (WATCHER.get() == null) {
            start();
        }
    }

    static void forget(OpenReply reply) {
        OPEN.remove(reply);
    }

    /** Starts the thread. If that fails, the next reply that is deferred tries again. */
    private static void start() {
        var thread = Thread.ofPlatform().name("fibry-replies").daemon().unstarted(new Watching());
        if (WATCHER.compareAndSet(null, thread)) {
            var started = false;
            try {
                thread.start();
                started = true;
            } finally {
                if (!started) {
                    WATCHER.set(null);
                }
            }
        }
    }

    private record Watching() implements Runnable {
        @Override
        public void run() {
            try {
                while (true) {
                    if (QUEUE.remove() instanceof OpenReply lost) {
                        fail(new Loss(lost));
                    }
                }
            } catch (InterruptedException e) {
                WATCHER.set(null); // a foreign thread wants this one to end; the next reply that is deferred starts another
            }
        }
    }

    private static void fail(Loss loss) {
        try {
            Strategies.FIBER_EXECUTOR.execute(loss);
        } catch (OutOfMemoryError noFiber) {
            loss.run(); // no other thread would do it
        }
    }

    private record Loss(OpenReply reply) implements Runnable {
        @Override
        public void run() {
            reply.lose(new ReplyLostException("actor '" + reply.cell().name()
                    + "' has deferred a reply and lost it: nothing refers to the DeferredReply any more, so it cannot be"
                    + " completed; keep it until it is, and complete it on each way through the code", null));
        }
    }
}
