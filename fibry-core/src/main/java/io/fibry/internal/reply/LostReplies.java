package io.fibry.internal.reply;

import io.fibry.ActorException;
import io.fibry.internal.run.Strategies;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Finds the deferred replies that no program can complete any more: the garbage collector queues them, and a thread fails
 * their asks. All open replies are listed here, and so are their actors: a reference that is itself unreachable would
 * never be queued, and its asker would wait for ever.
 *
 * <p>The thread starts with the first deferred reply, waits at the queue, and is a daemon. It runs no code of a user: fibers
 * complete the answers. A reply that is open takes about 150 bytes here, in the list of its actor and for its handle.
 */
public final class LostReplies {
    static final ReferenceQueue<ReplyHandle<?>> QUEUE = new ReferenceQueue<>();
    private static final Set<OpenReply> OPEN = ConcurrentHashMap.newKeySet();
    /** Set by the turn that starts the thread, by CAS; cleared by it if the start fails. */
    private static final AtomicReference<@Nullable Thread> WATCHER = new AtomicReference<>();

    /** How long the thread waits before it tries again to start a fiber. */
    private static final long PAUSE_MILLIS = 50;

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
        var thread = Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("fibry-replies")
                .unstarted(new Watching());
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

    /**
     * Waits for replies that are lost. All actors of the process need this thread, so nothing ends it: neither an interrupt
     * nor what is thrown. If no fiber can be started, mostly for want of memory, the reply waits here, and the thread tries
     * again from time to time.
     */
    private static final class Watching implements Runnable {
        /** The replies for which a fiber is to be started. */
        private @Nullable OpenReply first;

        @Override
        public void run() {
            while (true) {
                try {
                    var next = first == null ? QUEUE.remove() : QUEUE.remove(PAUSE_MILLIS);
                    if (next instanceof OpenReply lost) {
                        lost.nextLost = first;
                        first = lost;
                    }
                    startAll();
                } catch (InterruptedException e) {
                    // The flag is clear now, and the replies are still to be watched.
                } catch (Throwable noFiber) {
                    Thread.yield();
                }
            }
        }

        private void startAll() {
            for (var lost = first; lost != null; lost = first) {
                if (!lost.isOver()) {
                    Strategies.FIBER_EXECUTOR.execute(new Loss(lost));
                }
                first = lost.nextLost;
                lost.nextLost = null;
            }
        }
    }

    private record Loss(OpenReply reply) implements Runnable {
        @Override
        public void run() {
            reply.lose(new ActorException("actor '" + reply.cell().name()
                    + "' has deferred a reply and lost it: nothing refers to the DeferredReply any more, so it cannot be"
                    + " completed; keep it until it is, and complete it on each way through the code", null));
        }
    }
}
