package io.fibry.pool;

import io.fibry.Actor;
import io.fibry.SharedMailbox;
import io.fibry.SharedMailbox.HandOver;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which worker has the messages of which key, and how many units are taken. Messages are handed over one after another,
 * under a lock that is held for a few steps: so they begin in their order, and a message of a key that is at work goes to
 * the worker that has this key. A worker gives back what its messages have claimed when all of them are over.
 *
 * <p>A message claims its units and its key before it is handed over, and gives them back if it is not. So whatever
 * fails in between, for example the {@code equals} of a key, leaves nothing claimed.
 */
final class Claims<M, R extends @Nullable Object> {
    /**
     * The maximum number of messages that a worker is given before it has to become idle. Further messages of its
     * keys stay in the mailbox, and no message overtakes them.
     */
    private static final int MOST_MOVED = 16;

    /** To whom the oldest message went. */
    enum Given {
        TO_IT, TO_ANOTHER, EMPTY, LEFT, ENDED
    }

    private final PoolOptions<M> options;
    private final SharedMailbox<M, R> mailbox;
    /** Lists an idle worker: under the lock, so that no other thread gives it a message in between. */
    private final Consumer<Worker<M, R>> idle;
    /**
     * Guards the plain fields; only the functions for weight and key, and {@code hashCode} and {@code equals}
     * of keys, run below it.
     */
    private final ReentrantLock lock = new ReentrantLock();
    /**
     * Increased when something was given back. A thread that could not hand over a message tries again if it
     * has changed.
     */
    private final AtomicInteger version = new AtomicInteger();

    // Accessed under the lock only.
    private final Map<Key, Worker<M, R>> owners = new HashMap<>();
    private int free;

    Claims(PoolOptions<M> options, SharedMailbox<M, R> mailbox, Consumer<Worker<M, R>> idle) {
        this.options = options;
        this.mailbox = mailbox;
        this.idle = idle;
        free = options.units();
    }

    static boolean areNeeded(PoolOptions<?> options) {
        return options.hasWeights() || options.hasKeys();
    }

    int version() {
        return version.get();
    }

    /**
     * Gives the oldest message to a worker that has nothing to do, or to the worker that has its key. The worker is
     * listed again unless it has the message, or has ended.
     */
    Given give(Worker<M, R> worker) {
        var given = Given.LEFT;
        lock.lock();
        try {
            var claim = new Claim(worker);
            try {
                given = claim.result(mailbox.handOver(claim));
            } finally {
                claim.end();
                if (given != Given.TO_IT && given != Given.ENDED) {
                    idle.accept(worker);
                }
            }
        } finally {
            lock.unlock();
        }
        return given;
    }

    /** Chooses the worker of one message, and has what this message claims. */
    private final class Claim implements Function<M, Optional<Actor<M, R>>> {
        private final Worker<M, R> candidate;
        private @Nullable Worker<M, R> chosen;
        private int weight;
        /** The key, if the worker did not have it before. */
        private @Nullable Key key;
        private boolean isKept;

        Claim(Worker<M, R> candidate) {
            this.candidate = candidate;
        }

        @Override
        public Optional<Actor<M, R>> apply(M message) {
            end(); // the message before is over
            var mine = weightOf(message);
            var its = keyOf(message);
            var owner = its == null ? null : owners.get(its);
            var to = owner == null ? candidate : owner;
            // mutant: message-takes-units-that-are-not-free
            if (mine > free || to.moved >= MOST_MOVED) {
                return Optional.empty();
            }
            chosen = to;
            if (its != null && owner == null) {
                owners.put(its, to);
                key = its;
            }
            weight = mine;
            free -= mine;
            return to.toWork();
        }

        Given result(HandOver handOver) {
            var to = chosen;
            if (handOver == HandOver.HANDED && to != null) {
                isKept = true;
                if (key != null) {
                    to.keys.add(key);
                }
                to.units += weight;
                to.moved++;
                to.isFresh = true;
                return to == candidate ? Given.TO_IT : Given.TO_ANOTHER;
            }
            return switch (handOver) {
                case EMPTY -> Given.EMPTY;
                // The worker that has the key is about to stop. It may still handle a message of the key, so this one waits
                // until it has stopped.
                case ENDED -> to == candidate ? Given.ENDED : Given.LEFT;
                case LEFT, HANDED -> Given.LEFT;
            };
        }

        /** Gives back what was claimed, unless the worker has the message. */
        void end() {
            var to = chosen;
            if (to == null || isKept) {
                return;
            }
            free += weight;
            var mine = key;
            if (mine != null) {
                owners.remove(mine, to);
            }
            chosen = null;
            key = null;
            weight = 0;
        }
    }

    private int weightOf(M message) {
        if (!options.hasWeights()) {
            return 0;
        }
        try {
            return Math.min(options.units(), Math.max(0, options.weight().applyAsInt(message)));
        } catch (RuntimeException failed) {
            return 1; // it did not fail when the message was sent; the message is not to get stuck
        }
    }

    /** Returns the key of a message; null if it has none. */
    private @Nullable Key keyOf(M message) {
        if (!options.hasKeys()) {
            return null;
        }
        try {
            var value = options.key().apply(message);
            return value == null ? null : Key.of(value);
        } catch (RuntimeException failed) {
            return null; // as above
        }
    }

    /**
     * Releases the claims of a worker that has found its mailbox empty, and lists it. Returns false if it has to look
     * once more: since the last call it was given a message, which it has perhaps not found. A message that it was
     * given before the last call was in its mailbox when it looked, and is over.
     */
    boolean isDone(Worker<M, R> worker) {
        lock.lock();
        try {
            // mutant: worker-gives-back-the-key-of-a-message-that-waits
            if (worker.isFresh) {
                worker.isFresh = false;
                return false;
            }
            try {
                forget(worker);
            } finally {
                if (worker.isWorking()) { // else another thread has listed it, or has taken it from the list
                    idle.accept(worker);
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Gives back what a worker has claimed that has stopped. */
    void left(Worker<M, R> worker) {
        lock.lock();
        try {
            forget(worker);
        } finally {
            lock.unlock();
        }
    }

    private void forget(Worker<M, R> worker) {
        free += worker.units;
        worker.units = 0;
        worker.moved = 0;
        worker.isFresh = false;
        version.incrementAndGet();
        while (!worker.keys.isEmpty()) {
            owners.remove(worker.keys.removeLast(), worker);
        }
    }
}
