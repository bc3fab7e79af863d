package io.fibry.cluster;

import io.fibry.Actor;
import io.fibry.ActorScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Those who watch a node. When {@link #LIMIT} events wait for a watcher, it is behind: it misses what happens until it has taken half of them, and is
 * then told how many events it has missed. The actor of the member tells most events; any thread may tell that a message was refused.
 *
 * <p>Each event is put into the mailbox of a watcher, or counted as missed. A thread that tells the count has taken it by one step, and counts again
 * what it could not tell. Threads that find room at the same time may put a few more events than the limit. A thread may set {@code isBehind} after
 * another one has found room, since it has looked before: the next event or tick finds room as well, and tells what was missed.
 */
final class Watchers {
    /** About as many small messages as are underway to a node in several groups, with the default {@code sendBuffer}. */
    static final int LIMIT = 1_000_000;

    private final MembershipLog log;
    private final int limit;
    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
    /** The fates that watchers are told when the current input has been handled. Used by the actor of the member alone. */
    private final List<ClusterEvent> fates = new ArrayList<>();

    /** One who watches. */
    final class Watcher {
        private final Actor<ClusterEvent, Void> actor;
        /** Counted up by those who tell, and down by the actor. */
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicLong missed = new AtomicLong();
        /** Written by any thread that tells. */
        private volatile boolean isBehind;
        private final AtomicBoolean hasBeenBehind = new AtomicBoolean();

        private Watcher(ActorScope scope, Consumer<? super ClusterEvent> code) {
            actor = scope.anonymous().newActor((ClusterEvent event) -> {
                waiting.decrementAndGet();
                code.accept(event);
            });
        }

        void tell(ClusterEvent event) {
            tellMissed();
            if (!isBehind && waiting.get() < limit) {
                put(event, 1);
                return;
            }
            missed.incrementAndGet();
            isBehind = true;
            if (hasBeenBehind.compareAndSet(false, true)) {
                log.watcherIsSlow(limit);
            }
        }

        /** Tells how many events were missed, if there is room. */
        private void tellMissed() {
            if (isBehind && waiting.get() <= limit / 2) {
                isBehind = false;
            }
            if (!isBehind && waiting.get() < limit) {
                tellAllMissed();
            }
        }

        /** Tells how many events were missed, if any were. */
        private void tellAllMissed() {
            var count = missed.get() == 0 ? 0 : missed.getAndSet(0);
            if (count > 0) {
                put(new ClusterEvent.Missed(count), count);
            }
        }

        private void put(ClusterEvent event, long events) {
            waiting.incrementAndGet();
            var isPut = false;
            try {
                isPut = actor.sendMessage(event);
            } finally {
                if (!isPut) { // its scope is closed, or there is too little stack
                    waiting.decrementAndGet();
                    missed.addAndGet(events);
                }
            }
        }
    }

    Watchers(MembershipLog log) {
        this(log, LIMIT);
    }

    Watchers(MembershipLog log, int limit) {
        this.log = log;
        this.limit = limit;
    }

    /** Makes a watcher, which is told nothing until it is added. */
    Watcher watcher(ActorScope scope, Consumer<? super ClusterEvent> code) {
        return new Watcher(scope, code);
    }

    void add(Watcher watcher) {
        watchers.add(watcher);
    }

    /** Ends a watcher, which takes what waits for it before. */
    void remove(Watcher watcher) {
        if (watchers.remove(watcher)) {
            watcher.tellAllMissed();
            watcher.actor.sendPoisonPill();
        }
    }

    void tell(ClusterEvent event) {
        watchers.forEach(watcher -> watcher.tell(event));
    }

    /** Keeps the fate of a message until the current input has been handled, so that watchers are told first that a node is lost. */
    void addFate(ClusterEvent event) {
        if (!watchers.isEmpty()) {
            fates.add(event);
        }
    }

    /** Tells the fates of messages. The current input has been handled. */
    void tellFates() {
        fates.forEach(this::tell);
        fates.clear();
    }

    /** Tells those who have missed something and have room. */
    void tick() {
        watchers.forEach(Watcher::tellMissed);
    }

    /** Tells all watchers how many events they have missed, whether they have room or not. */
    void flush() {
        watchers.forEach(Watcher::tellAllMissed);
    }
}
