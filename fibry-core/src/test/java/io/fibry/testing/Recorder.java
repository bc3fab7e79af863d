package io.fibry.testing;

import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A listener that keeps what it hears. */
public final class Recorder implements ActorListener {
    private static final long PATIENCE_NANOS = Patience.LIMIT.toNanos();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private final List<ActorEvent> events = new ArrayList<>();

    @Override
    public void on(ActorEvent event) {
        lock.lock();
        try {
            events.add(event);
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** All events so far, oldest first. */
    public List<ActorEvent> events() {
        return of(ActorEvent.class);
    }

    /** The events of one type so far, oldest first. */
    public <E extends ActorEvent> List<E> of(Class<E> type) {
        lock.lock();
        try {
            return events.stream().filter(type::isInstance).map(type::cast).toList();
        } finally {
            lock.unlock();
        }
    }

    /** The one event of a type; fails if there is none or another one. */
    public <E extends ActorEvent> E only(Class<E> type) {
        var found = of(type);
        if (found.size() != 1) {
            throw new AssertionError(
                    "not one " + type.getSimpleName() + " but " + found.size() + ": " + events());
        }
        return found.getFirst();
    }

    /** Waits until there are {@code count} events of a type, and returns all of that type. */
    public <E extends ActorEvent> List<E> await(Class<E> type, int count) throws InterruptedException {
        lock.lock();
        try {
            var nanos = PATIENCE_NANOS;
            while (of(type).size() < count) {
                if (nanos <= 0) {
                    throw new AssertionError(
                            "waited for " + count + " x " + type.getSimpleName() + ", heard only "
                                    + events);
                }
                nanos = more.awaitNanos(nanos);
            }
            return of(type);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is an event of a type; the first. */
    public <E extends ActorEvent> E await(Class<E> type) throws InterruptedException {
        return await(type, 1).getFirst();
    }
}
