package io.fibry.work;

import io.fibry.AskCycleException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * The threads of the program that wait for permits, and the search for those that would wait for ever. A thread holds permits
 * before it begins to wait, and enters its wait here before it looks; so of several threads that wait for each other, the last
 * one to look sees all.
 *
 * <p>Another thread whose wait has a limit goes on. Any other goes on if enough permits are free or are held by threads that go on. The permits that are not held by a
 * thread that waits are taken for free, so a thread is refused only if it would really wait for ever.
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
        var thread = Thread.currentThread();
        LOCK.lock();
        try {
            var before = Optional.ofNullable(WAITS.put(thread, wait));
            var stuck = reachable(thread, wait);
            boolean isLess = true;
            while (isLess && stuck.containsKey(thread)) {
                isLess = stuck.entrySet().removeIf(each -> goesOn(each.getValue(), stuck));
            }
            if (!stuck.containsKey(thread)) {
                return before;
            }
            leave(before);
            throw new AskCycleException(stuck.values().stream().map(PermitWait::toString)
                    .collect(Collectors.joining("; ", "threads would wait for each other for ever: ",
                            "; acquire permits in one order, or give them a lease by SemaphoreOptions")));
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

    /** Returns the threads that wait on which the given one depends, and itself. */
    private static Map<Thread, PermitWait> reachable(Thread thread, PermitWait wait) {
        var found = new LinkedHashMap<Thread, PermitWait>();
        add(found, thread, wait);
        return found;
    }

    private static void add(Map<Thread, PermitWait> found, Thread thread, PermitWait wait) {
        if (wait.isOver() || found.putIfAbsent(thread, wait) != null) {
            return;
        }
        wait.target().holders().forEach((holder, count) -> {
            var next = WAITS.get(holder);
            if (next != null && !next.hasLimit()) {
                add(found, holder, next);
            }
        });
    }

    /**
     * Reads the holders before it reads whether the wait is over. A wait ends before its thread holds the permits, so a thread
     * that was found among the holders of what it waited for is not taken for one that waits for itself.
     */
    private static boolean goesOn(PermitWait wait, Map<Thread, PermitWait> stuck) {
        int lost = 0;
        for (var each : wait.target().holders().entrySet()) {
            lost += stuck.containsKey(each.getKey()) ? each.getValue() : 0;
        }
        return wait.isOver() || wait.target().permits() - lost >= wait.count();
    }
}
