package io.fibry.cluster;

import io.fibry.ActorScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Those who watch a node. At most {@link #LIMIT} events wait for each of them, and at most {@link #REFUSALS} events of refused messages wait for the
 * actor of the member; the messages themselves may be large. Watchers are told how many events were left out. A sender whose message is refused
 * learns it from its send as well.
 *
 * <p>All methods are called by the actor of the member, unless their comments say something else.
 */
final class Watchers {
    /** About as many small messages as are underway to a node in several groups, with the default {@code sendBuffer}. */
    static final int LIMIT = 1_000_000;
    static final int REFUSALS = 100_000;

    private final MembershipLog log;
    private final int limit;
    private final int mostRefusals;
    private final List<ClusterWatcher> watchers = new ArrayList<>();
    /** The fates of messages that watchers are told when the current input has been handled. */
    private final List<ClusterEvent> fates = new ArrayList<>();
    /** Raised before the member's actor knows the watcher, so what is sent after {@code watch} is told, or counted. */
    private final AtomicInteger watching = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    /** This number only grows. Each watcher knows how much of it was counted for it. */
    private final AtomicLong refusalsLeftOut = new AtomicLong();

    Watchers(MembershipLog log) {
        this(log, LIMIT, REFUSALS);
    }

    Watchers(MembershipLog log, int limit, int mostRefusals) {
        this.log = log;
        this.limit = limit;
        this.mostRefusals = mostRefusals;
    }

    /** Makes a watcher, which is told nothing until it is added. Any thread may call this. */
    ClusterWatcher watcher(ActorScope scope, Consumer<? super ClusterEvent> code) {
        var watcher = new ClusterWatcher(scope, code, limit, refusalsLeftOut.get());
        // The watcher counts before the actor of the member knows it. When watch returns, the program may send, and expect its watcher to be told.
        watching.incrementAndGet();
        return watcher;
    }

    /** Returns whether there are watchers. Any thread may call this. */
    boolean isWatched() {
        return watching.get() > 0;
    }

    /**
     * Takes a place for the event of a refused message; {@link #tellRefused} gives it back. If there is none, counts the event as left out, and returns
     * false. Any thread may call this.
     */
    boolean takesRefusal() {
        if (refusals.incrementAndGet() <= mostRefusals) {
            return true;
        }
        leaveOutRefusal();
        return false;
    }

    /** Gives a place back whose event is not told, and counts the event as left out. Any thread may call this. */
    void leaveOutRefusal() {
        refusals.decrementAndGet();
        refusalsLeftOut.incrementAndGet();
    }

    void add(ClusterWatcher watcher) {
        watchers.add(watcher);
    }

    void remove(ClusterWatcher watcher) {
        if (watchers.remove(watcher)) {
            watching.decrementAndGet();
            watcher.leaveOut(refusalsLeftOut.get());
            watcher.end();
        }
    }

    void tell(ClusterEvent event) {
        for (var watcher : watchers) {
            if (watcher.tell(event)) {
                log.watcherIsSlow(limit);
            }
        }
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

    void tellRefused(ClusterEvent event) {
        refusals.decrementAndGet();
        countLeftOut();
        tell(event);
    }

    /** Tells those who have missed something and have room. */
    void tick() {
        countLeftOut();
        watchers.forEach(ClusterWatcher::tellMissed);
    }

    /** Tells all watchers how many events they have missed, whether they have room or not. */
    void flush() {
        countLeftOut();
        watchers.forEach(ClusterWatcher::tellAllMissed);
    }

    private void countLeftOut() {
        var total = refusalsLeftOut.get();
        watchers.forEach(watcher -> watcher.leaveOut(total));
    }
}
