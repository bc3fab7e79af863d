package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Does for many actors at once what each of them waits for: commits, or loads. While one group is at work the next one
 * collects, and there is no other wait: what comes alone is done at once.
 *
 * <p>The work is done by the thread that holds {@link #working}. This is the thread of an actor, the worker, or that of a
 * caller of {@link #doHere}, which is quicker than the way to the worker and back. It is one of these states:
 *
 * <ul>
 * <li><i>Resting</i>: nothing waits, the lock is free, and the worker is not told.
 * <li><i>Told</i>: {@link #submit} has added a part and has told the worker, which has not begun to look for parts.
 * <li><i>At work</i>: the worker has the lock. It takes a group, does it, and takes the next one, until nothing waits.
 * <li><i>At work here</i>: a caller has the lock, and does its own part. It changes neither the parts that wait nor what the
 * worker is told.
 * </ul>
 *
 * <p>No wake-up is lost. A part that waits was added before {@code told} was looked at. If {@code told} was false, its sender
 * tells the worker. If it was true, the worker has been told and sets it to false before it looks for parts, so it finds this
 * one. A caller that works here leaves that alone: the worker waits for the lock meanwhile, and looks for parts when it has it.
 *
 * <p>Parts keep their order. They are taken under the lock, in the order in which they were added. A caller works here
 * only if it has the lock and sees that nothing waits: then all parts that were submitted before have been done. So the
 * worker does not wait for the lock behind one caller after another either: once a part waits, no caller works here.
 *
 * <p>Groups do not become smaller. A caller does its own part alone, and only after a group of one part. Under load groups are
 * larger, and then all parts go to the worker ({@link #isLone}), which collects more of them while it wakes up.
 *
 * <p>Drivers of databases may hold the carrier of a fiber: the code of SQLite is native, and with JDK 21 so is a wait
 * within {@code synchronized}. The worker has a thread of its own for this reason. A caller works here only if the
 * group before took less than {@link #QUICK} ({@link #isLone}), when the way to the worker would be a large part of
 * the time. So a store holds one carrier at most, and longer than this only once, when it becomes slow. With a single
 * processor there is one carrier, and no caller works here.
 *
 * @param <T> what is to be done
 * @param <V> what comes of it
 */
final class GroupWork<T, V> {
    /** A caller works on its own thread only after a group that took less than this. */
    private static final long QUICK = Duration.ofMillis(1).toNanos();
    /** The message of a failure of a call on a store that is closed. */
    static final String CLOSED =
            "the store is closed; close the scopes of its durable actors first, and then the store";

    final Queue<Part<T, V>> waiting = new ConcurrentLinkedQueue<>();
    /** Held by the thread that does the work. Parts are taken by that thread. */
    private final ReentrantLock working = new ReentrantLock();
    /** Whether the last group had one part and was quick. Written by the thread that does the work. */
    private volatile boolean lone;
    /** True from the time at which the worker is told of work until it begins to look for it. */
    private final AtomicBoolean told = new AtomicBoolean();
    /** The group at work; null if there is none. Written by the thread that does the work. */
    private volatile @Nullable Group<T, V> atWork;
    /** Set by the thread that closes the store; a thread that adds a part looks at it afterwards. */
    private volatile boolean ended;
    private final ActorScope scope;
    private final Actor<String, Void> worker;
    private final Task<T, V> task;
    private final String what;
    private final Size<T> size;
    private final Duration limit;
    private final boolean callersMayWork;

    /** Begins to take parts. The task does a group, and returns what has come of each part, in their order. */
    GroupWork(ActorScope scope, String what, Size<T> size, Duration limit, CreationStrategy strategy,
            boolean callersMayWork, Task<T, V> task) {
        this.scope = scope;
        this.what = what;
        this.size = size;
        this.limit = limit;
        this.callersMayWork = callersMayWork;
        this.task = task;
        worker = scope.named(what).withoutDefaults().strategy(strategy).newActor(call -> work());
        lookAfter(limit);
    }

    /** Does a part and waits for it. What the task throws is the cause of the exception. */
    V await(T work) throws InterruptedException {
        try {
            return submit(work).get();
        } catch (ExecutionException e) {
            throw failure(what, e.getCause() == null ? e : e.getCause());
        }
    }

    static ActorException failure(String what, Throwable cause) {
        return new ActorException(what + " failed: " + cause.getMessage(), cause);
    }

    CompletableFuture<V> submit(T work) {
        var part = new Part<T, V>(work, new CompletableFuture<>());
        waiting.add(part);
        if (!told.getAndSet(true) && !worker.sendMessage(what)) {
            end();
        } else if (ended) {
            end();
        }
        return part.done();
    }

    /** Fails those who wait now or later. The scope has stopped the worker. */
    void end() {
        ended = true;
        failAll(new IllegalStateException(CLOSED));
    }

    /** Tells whether {@link #doHere} is the better way for a part: no other part is at work, as far as this is known. */
    boolean isLone() {
        return lone && waiting.isEmpty() && !working.isLocked() && !Thread.currentThread().isInterrupted();
    }

    /**
     * Does a part on this thread if no other part is at work or waits, and else {@linkplain #submit submits} it.
     *
     * @param work the part
     * @param onFailure called if the part fails; by another thread if it is not done within the limit, while this one still
     *     waits for it
     */
    CompletableFuture<V> doHere(T work, Consumer<Throwable> onFailure) {
        if (working.tryLock()) {
            try {
                // mutant: caller-overtakes-what-waits
                if (waiting.isEmpty() && !ended) {
                    var part = new Part<T, V>(work, failing(onFailure));
                    run(List.of(part));
                    return part.done();
                }
            } finally {
                working.unlock();
            }
        }
        return submit(work);
    }

    private CompletableFuture<V> failing(Consumer<Throwable> onFailure) {
        var done = new CompletableFuture<V>();
        var unused = done.whenComplete((value, failure) -> {
            if (failure != null) {
                onFailure.accept(failure);
            }
        });
        return done;
    }

    /** Ends, and waits for the thread that is at work, for as long as the limit. Nothing is done after that. */
    void close() {
        end();
        try {
            if (working.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                working.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        told.set(false);
        for (boolean more = true; more;) {
            working.lock();
            try {
                var group = next();
                more = !group.isEmpty();
                if (more) {
                    run(group);
                }
            } finally {
                working.unlock();
            }
        }
    }

    private void run(List<Part<T, V>> group) {
        long since = scope.time().nanoTime();
        atWork = new Group<>(group, since);
        try {
            var results = task.run(group.stream().map(Part::work).toList());
            lone = callersMayWork && group.size() == 1 && scope.time().nanoTime() - since < QUICK;
            for (int i = 0; i < group.size(); i++) {
                group.get(i).done().complete(results.get(i));
            }
        } catch (Throwable e) {
            lone = false;
            // Each of those who wait throws it.
            group.forEach(part -> part.done().completeExceptionally(e));
        } finally {
            atWork = null;
        }
    }

    private List<Part<T, V>> next() {
        var group = new ArrayList<Part<T, V>>();
        long bytes = 0;
        // The thread that ends this waits for the lock; then nothing more is done. It, or their sender, fails those who wait.
        while (!ended && group.size() < size.most()) {
            var first = waiting.peek();
            // mutant: group-has-any-number-of-bytes
            if (first == null || (!group.isEmpty() && bytes + size.of(first.work()) > size.mostBytes())) {
                break;
            }
            // It is gone if the timer has failed all that waited, and done if only the wait for it is over.
            if (waiting.remove(first) && !first.done().isDone()) {
                group.add(first);
                bytes += size.of(first.work());
            }
        }
        return group;
    }

    private void lookAfter(Duration time) {
        try {
            scope.schedule(Schedule.once(time), this::look);
        } catch (IllegalStateException closing) {
            // The scope takes no more jobs. Its close has a limit of its own; until then, what waits is done.
        }
    }

    /**
     * Fails those who wait for too long, those behind the group included. A group that is not there yet has the limit from a later time
     * on, so it is soon enough to look again after the limit. A timer for each group would cost more than a small group does.
     */
    private void look() {
        var group = atWork;
        var left = group == null ? limit : limit.minusNanos(scope.time().nanoTime() - group.since());
        lookAfter(left.isPositive() ? left : limit);
        if (group != null && !left.isPositive()) {
            var late = new IllegalStateException("the store has not answered for " + limit);
            group.parts().forEach(part -> part.done().completeExceptionally(late));
            failAll(late);
        }
    }

    private void failAll(Exception reason) {
        for (var part = waiting.poll(); part != null; part = waiting.poll()) {
            part.done().completeExceptionally(reason);
        }
    }

    /** Tells whether such a part is at work for which nobody waits any more. Those that waited behind it are not done. */
    boolean isLate(Predicate<? super T> which) {
        var group = atWork;
        return group != null && group.parts().getFirst().done().isCompletedExceptionally() // it fails before the others
                && group.parts().stream().anyMatch(part -> which.test(part.work()));
    }

    record Part<T, V>(T work, CompletableFuture<V> done) {
    }

    /**
     * How large a group may be. A part that is larger is a group of its own.
     *
     * @param most the number of parts
     * @param mostBytes the bytes of all parts
     * @param bytes returns the bytes of a part
     */
    record Size<T>(int most, long mostBytes, ToLongFunction<? super T> bytes) {
        static <T> Size<T> parts(int most) {
            return new Size<>(most, Long.MAX_VALUE, part -> 0);
        }

        long of(T part) {
            return bytes.applyAsLong(part);
        }
    }

    /** A group at work, and when it began. */
    private record Group<T, V>(List<Part<T, V>> parts, long since) {
    }

    @FunctionalInterface
    interface Task<T, V> {
        List<V> run(List<T> parts) throws Exception;
    }
}
