package io.fibry.work;

import io.fibry.AskCycleException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * The threads of the program that wait for permits, and the search for those that would wait for ever. A wait is complete when its
 * thread has entered it here and the semaphore's actor has put the request into its queue. Each of the two is followed by a
 * search; so of several threads that wait for each other, the one whose wait is completed last sees all.
 *
 * <p>A thread depends on the threads that hold permits of what it waits for, and on the requests that are before its own in the
 * queue. The search begins with the assumption that no wait of the semaphores concerned ends, and drops it as far as permits are
 * free or held by threads that go on. Another thread whose wait has a limit goes on in any case, and so does a request without a
 * thread, which any thread may cancel. So a thread is refused only if it would really wait for ever.
 */
final class PermitWaits {
    private static final ReentrantLock LOCK = new ReentrantLock();
    /** Guarded by the lock. */
    private static final Map<Thread, PermitWait> WAITS = new HashMap<>();

    private PermitWaits() {
    }

    /**
     * Enters the wait of the calling thread; throws if it would last for ever. Returns the wait in which the thread was already:
     * an actor that waits may let another one run on its stack.
     */
    static Optional<PermitWait> enter(PermitWait wait) {
        LOCK.lock();
        try {
            var before = Optional.ofNullable(WAITS.put(Thread.currentThread(), wait));
            // mutant: wait-is-entered-without-a-search
            var cycle = search(wait);
            if (cycle.isPresent()) {
                leave(before);
                throw cycle.get();
            }
            return before;
        } finally {
            LOCK.unlock();
        }
    }

    /** Leaves a wait, and is in the one before again. */
    static void leave(Optional<PermitWait> before) {
        var thread = Thread.currentThread();
        LOCK.lock();
        try {
            before.ifPresentOrElse(wait -> WAITS.put(thread, wait), () -> WAITS.remove(thread));
        } finally {
            LOCK.unlock();
        }
    }

    /** Changes the queue of a semaphore, which searches read. Called by the actor of the semaphore. */
    static void change(Runnable change) {
        LOCK.lock();
        try {
            change.run();
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Puts the request of a thread into the queue of a semaphore. Returns with what it is to fail if it would never be served. Called
     * by the actor of the semaphore.
     */
    static Optional<AskCycleException> queue(Thread thread, PermitWait wait, Runnable addition) {
        LOCK.lock();
        try {
            addition.run();
            // mutant: request-is-queued-without-a-search
            var cycle = WAITS.get(thread) == wait ? search(wait) : Optional.<AskCycleException>empty(); // else it has not entered
            return cycle;
        } finally {
            LOCK.unlock();
        }
    }

    /** Searches for what holds up a wait; the wait is over if it would last for ever, so that no other search finds it. */
    private static Optional<AskCycleException> search(PermitWait wait) {
        var search = new Search(wait);
        if (!search.holdsUp(wait)) {
            return Optional.empty();
        }
        var cycle = search.found();
        // mutant: wait-that-is-refused-is-found-again
        wait.end();
        return Optional.of(cycle);
    }

    /** One search, by a thread that has the lock. */
    private static final class Search {
        private final PermitWait start;
        private final Map<LiveSemaphore, Outlook> outlooks = new LinkedHashMap<>();

        /** What is known of a semaphore: no less is free in the end, and no fewer of those that wait are served. */
        private static final class Outlook {
            /** Read before it is read whether a wait is over: a wait ends before its thread holds the permits. */
            final Map<Thread, Integer> holders;
            int free;
            long served;

            Outlook(Map<Thread, Integer> holders) {
                this.holders = holders;
            }
        }

        Search(PermitWait start) {
            this.start = start;
            add(start.target());
            var isNew = true;
            while (isNew) {
                isNew = false;
                for (var each : outlooks.entrySet()) {
                    isNew |= improve(each.getKey(), each.getValue());
                }
            }
        }

        private void add(LiveSemaphore semaphore) {
            if (!outlooks.containsKey(semaphore)) {
                var outlook = new Outlook(semaphore.holders());
                outlooks.put(semaphore, outlook);
                for (var holder : outlook.holders.keySet()) {
                    endless(holder).ifPresent(wait -> add(wait.target()));
                }
            }
        }

        /** Returns the wait of a thread, unless the thread goes on in any case. */
        private Optional<PermitWait> endless(Thread thread) {
            return Optional.ofNullable(WAITS.get(thread)).filter(this::isEndless);
        }

        private boolean isEndless(PermitWait wait) {
            return !wait.isOver() && (wait == start || !wait.hasLimit());
        }

        private boolean improve(LiveSemaphore semaphore, Outlook outlook) {
            var free = semaphore.permits();
            for (var holder : outlook.holders.entrySet()) {
                free -= endless(holder.getKey()).filter(this::holdsUp).isPresent() ? holder.getValue() : 0;
            }
            var enough = free;
            var served = free == semaphore.permits() ? Long.MAX_VALUE
                    : semaphore.line().filter(wait -> wait.count() > enough && isEndless(wait))
                            .mapToLong(PermitWait::place).findFirst().orElse(Long.MAX_VALUE);
            var isBetter = free > outlook.free || served > outlook.served;
            outlook.free = Math.max(free, outlook.free);
            outlook.served = Math.max(served, outlook.served);
            return isBetter;
        }

        /** Returns whether a wait may last for ever, as far as is known. */
        boolean holdsUp(PermitWait wait) {
            var outlook = outlooks.get(wait.target());
            // mutant: place-in-the-queue-is-not-looked-at
            return outlook != null && !wait.isOver()
                    && (wait.count() > outlook.free || (wait.isQueued() && wait.place() >= outlook.served));
        }

        AskCycleException found() {
            var stuck = new LinkedHashSet<PermitWait>();
            collect(stuck, start);
            if (stuck.size() == 1) { // only its own release could serve it
                return new AskCycleException("a thread would wait for itself for ever: " + start
                        + ", and holds permits of it; release them before, or acquire all at once");
            }
            return new AskCycleException(stuck.stream().map(PermitWait::toString)
                    .collect(Collectors.joining("; ", "threads would wait for each other for ever: ",
                            "; acquire permits in one order, or give them a lease by SemaphoreOptions")));
        }

        private void collect(Set<PermitWait> stuck, PermitWait wait) {
            var outlook = outlooks.get(wait.target());
            if (outlook == null || !stuck.add(wait)) {
                return;
            }
            if (wait.isQueued()) {
                wait.target().line()
                        .filter(each -> each.place() < wait.place() && isEndless(each) && holdsUp(each))
                        .findFirst().ifPresent(each -> collect(stuck, each));
            }
            for (var holder : outlook.holders.keySet()) {
                endless(holder).filter(this::holdsUp).ifPresent(each -> collect(stuck, each));
            }
        }
    }
}
