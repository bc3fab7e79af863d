package io.fibry.internal.scope;

import io.fibry.internal.scope.Jobs.Job;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that are scheduled in a scope: there may be millions. The list is divided into parts by the threads that schedule,
 * so that they rarely meet. A job knows its place in its part. When it is removed, the last one of the part takes its place.
 *
 * <p>A part is guarded by its lock, under which no code of others runs; its size can also be read without it. The
 * callers have enough stack for what they call here, so the lock is always released.
 */
final class JobList {
    private static final int PARTS = 8;
    private static final int LEAST_PLACES = 4;
    private static final int SPARSE = 4;

    /** The parts; each is made for its first job. */
    private final AtomicReferenceArray<Part> parts = new AtomicReferenceArray<>(PARTS);

    /** A part of the list. */
    static final class Part {
        /** Guards the places, and the place that each of its jobs knows. */
        private final ReentrantLock lock = new ReentrantLock();
        private @Nullable Job[] places = new @Nullable Job[LEAST_PLACES];
        /** Written under the lock. */
        private volatile int size;

        /** Adds a job of this part that was not there before. */
        void add(Job job) {
            lock.lock();
            try {
                var next = size;
                if (next == places.length) {
                    places = Arrays.copyOf(places, 2 * next);
                }
                places[next] = job;
                job.place = next;
                setSize(next + 1);
            } finally {
                lock.unlock();
            }
        }

        /** Removes a job, if it is there. */
        void remove(Job job) {
            lock.lock();
            try {
                var last = size - 1;
                if (job.place <= last && places[job.place] == job) {
                    move(last, job.place);
                    setSize(last);
                    shrink();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Moves the job of one place to another place; both may be the same. */
        private void move(int from, int to) {
            var moved = places[from];
            if (moved != null) {
                places[from] = null;
                if (from != to) {
                    places[to] = moved;
                    moved.place = to;
                }
            }
        }

        void addTo(List<Job> list) {
            lock.lock();
            try {
                for (int i = 0; i < size; i++) {
                    var job = places[i];
                    if (job != null) {
                        list.add(job);
                    }
                }
            } finally {
                lock.unlock();
            }
        }

        private void shrink() {
            if (places.length > LEAST_PLACES && SPARSE * size < places.length) {
                try {
                    places = Arrays.copyOf(places, places.length / 2);
                } catch (OutOfMemoryError e) {
                    // The larger array serves as well.
                }
            }
        }

        /** The size is volatile for those who read it without the lock. */
        private void setSize(int jobs) {
            size = jobs;
        }
    }

    /** Returns the part for a job that the calling thread schedules. */
    Part part() {
        return part((int) Thread.currentThread().threadId() & (PARTS - 1));
    }

    /** Returns all jobs. */
    List<Job> all() {
        var all = new ArrayList<Job>();
        for (int i = 0; i < PARTS; i++) {
            var part = parts.get(i);
            if (part != null) {
                part.addTo(all);
            }
        }
        return all;
    }

    int size() {
        var size = 0;
        for (int i = 0; i < PARTS; i++) {
            var part = parts.get(i);
            size += part == null ? 0 : part.size;
        }
        return size;
    }

    private Part part(int number) {
        var known = parts.get(number);
        if (known != null) {
            return known;
        }
        var fresh = new Part();
        var other = parts.compareAndExchange(number, null, fresh);
        return other == null ? fresh : other;
    }
}
