package io.fibry.inside;

import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.event.Started;
import io.fibry.event.Stopped;
import io.fibry.time.TimeSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The newest events, as texts. It hears of them on the threads of actors and senders, so it keeps at most twenty of each kind
 * between two samples, counts the others, and keeps neither messages nor exceptions. Thread-safe.
 */
final class EventFeed implements ActorListener {
    /** As many as the ten kinds of events have together between two samples, so that each one is shown. */
    private static final int KEPT = 200;
    private static final int BETWEEN_SAMPLES = 20;
    private static final EventLine GAP = new EventLine("gap", "", "while nobody looked, no event was heard");

    /** An event with its number, and the time of day in milliseconds. */
    record Entry(long number, long at, EventLine line) {
    }

    private final TimeSource time;
    private final long since;
    /** For how many events of each kind there is room until the next sample. */
    private final Map<Class<?>, AtomicInteger> rooms = new ConcurrentHashMap<>();
    private final AtomicLong skipped = new AtomicLong();
    /** Guards the newest events and their numbers. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final ArrayDeque<Entry> newest = new ArrayDeque<>();
    /** Guarded by the lock. */
    private long number;

    EventFeed(TimeSource time) {
        this.time = time;
        since = time.clock().millis();
    }

    @Override
    public boolean takesEvents() {
        return false;
    }

    @Override
    public void on(ActorEvent event) {
        if (event instanceof Started
                || (event instanceof Stopped stopped && !stopped.reason().isAbnormal())) {
            return;
        }
        var room = rooms.computeIfAbsent(event.getClass(), kind -> new AtomicInteger(BETWEEN_SAMPLES));
        if (room.get() <= 0 || room.decrementAndGet() < 0) {
            skipped.incrementAndGet();
            return;
        }
        add(EventLine.of(event));
    }

    private void add(EventLine line) {
        var now = time.clock().millis();
        lock.lock();
        try {
            if (newest.size() == KEPT) {
                newest.removeFirst();
            }
            newest.addLast(new Entry(++number, now, line));
        } finally {
            lock.unlock();
        }
    }

    /** Marks a gap behind the events that are there, if there are any: nobody has listened meanwhile. */
    void resumed() {
        var known = after(0);
        if (!known.isEmpty() && !known.getLast().line().equals(GAP)) {
            add(GAP);
        }
    }

    /** Makes room for the events until the next sample. */
    void sampled() {
        rooms.clear();
    }

    /** Returns the events after that number, the oldest first. */
    List<Entry> after(long known) {
        lock.lock();
        try {
            return newest.stream().filter(each -> each.number() > known).toList();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when this feed was made: the numbers of its events begin with that. */
    long since() {
        return since;
    }

    /** Returns how many events were only counted. */
    long skipped() {
        return skipped.get();
    }
}
