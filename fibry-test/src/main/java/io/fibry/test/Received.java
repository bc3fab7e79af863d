package io.fibry.test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** What has come, in order, and what of it the test has not taken yet. Any threads may add and take. */
final class Received<T> {
    /** Guards what has come, and {@link #change}. */
    private final ReentrantLock lock = new ReentrantLock();
    private final List<T> all = new ArrayList<>();
    private final Deque<T> left = new ArrayDeque<>();
    /** Written under the lock. A thread gets the future before it looks, so it misses no arrival. */
    private CompletableFuture<Boolean> change = new CompletableFuture<>();

    void add(T item) {
        CompletableFuture<Boolean> came;
        lock.lock();
        try {
            all.add(item);
            left.add(item);
            came = change;
            change = new CompletableFuture<>();
        } finally {
            lock.unlock();
        }
        came.complete(true);
    }

    /** Takes the first one; empty if there is none. */
    Optional<T> takeFirst() {
        return takeFirst(item -> true);
    }

    /** Takes the first one that matches, and leaves the others. */
    Optional<T> takeFirst(Predicate<? super T> matches) {
        lock.lock();
        try {
            for (var items = left.iterator(); items.hasNext();) {
                var item = items.next();
                if (matches.test(item)) {
                    items.remove();
                    return Optional.of(item);
                }
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Takes the first one that matches, and all before it. If none matches, all are taken. */
    Optional<T> takeUpTo(Predicate<? super T> matches) {
        lock.lock();
        try {
            while (!left.isEmpty()) {
                var item = left.removeFirst();
                if (matches.test(item)) {
                    return Optional.of(item);
                }
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    List<T> all() {
        lock.lock();
        try {
            return List.copyOf(all);
        } finally {
            lock.unlock();
        }
    }

    List<T> left() {
        lock.lock();
        try {
            return List.copyOf(left);
        } finally {
            lock.unlock();
        }
    }

    /** Returns a future of the next arrival. A thread that gets it before it looks misses nothing. */
    CompletableFuture<Boolean> change() {
        lock.lock();
        try {
            return change;
        } finally {
            lock.unlock();
        }
    }
}
