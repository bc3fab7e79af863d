package io.fibry.cluster;

import io.fibry.Actor;
import io.fibry.ActorScope;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One who watches a node. It is told by the actor of the member alone. When {@code limit} events wait for it, it is behind: it misses what happens
 * until it has taken half of them, and is then told how many events it has missed.
 */
final class ClusterWatcher {
    private final Actor<ClusterEvent, Void> actor;
    private final int limit;
    /** Counted up by the actor of the member, and down by that of the watcher. */
    private final AtomicInteger waiting = new AtomicInteger();
    /** How many events of refused messages were left out since the node began, as far as this watcher has counted them. */
    private long leftOut;
    private long missed;
    private boolean isBehind;
    private boolean hasBeenBehind;

    ClusterWatcher(ActorScope scope, Consumer<? super ClusterEvent> code, int limit, long leftOut) {
        this.limit = limit;
        this.leftOut = leftOut;
        actor = scope.anonymous().newActor((ClusterEvent event) -> {
            waiting.decrementAndGet();
            code.accept(event);
        });
    }

    /** Tells an event. Returns true if the watcher misses it, and is behind for the first time. */
    boolean tell(ClusterEvent event) {
        tellMissed();
        if (!isBehind && waiting.get() < limit) {
            put(event);
            return false;
        }
        missed++;
        isBehind = true;
        var isFirst = !hasBeenBehind;
        hasBeenBehind = true;
        return isFirst;
    }

    /** Counts the events of refused messages that were left out since the last time. */
    void leaveOut(long total) {
        missed += total - leftOut;
        leftOut = total;
    }

    /** Tells how many events were missed, if there is room. */
    void tellMissed() {
        isBehind &= waiting.get() > limit / 2;
        if (!isBehind && waiting.get() < limit) {
            tellAllMissed();
        }
    }

    /** Tells how many events were missed, if any were. */
    void tellAllMissed() {
        if (missed > 0) {
            put(new ClusterEvent.Missed(missed));
            missed = 0;
        }
    }

    /** Ends when the watcher has taken what waits for it. */
    void end() {
        tellAllMissed();
        actor.sendPoisonPill();
    }

    private void put(ClusterEvent event) {
        waiting.incrementAndGet();
        if (!actor.sendMessage(event)) { // its scope is closed
            waiting.decrementAndGet();
        }
    }
}
