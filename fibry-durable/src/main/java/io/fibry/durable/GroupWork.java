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
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Does for many actors at once what each of them waits for: commits, or loads. While one group is at work the next one
 * collects, and there is no other wait: what comes alone is done at once. An actor with a thread of its own does the work,
 * since the drivers of databases may hold the thread of many fibers.
 *
 * @param <T> what is to be done
 * @param <V> what comes of it
 */
final class GroupWork<T, V> {
    private final Queue<Part<T, V>> waiting = new ConcurrentLinkedQueue<>();
    /** True from the time at which the worker is told of work until it begins to look for it. */
    private final AtomicBoolean told = new AtomicBoolean();
    /** The group at work; null if there is none. Written by the worker. */
    private volatile @Nullable AtWork<T, V> atWork;
    /** Whether a timer is set, or its job runs. */
    private final AtomicBoolean timed = new AtomicBoolean();
    /** Written once; a thread that adds a part looks at it afterwards. */
    private volatile boolean ended;
    private final ActorScope scope;
    private final Actor<String, Void> worker;
    private final Task<T, V> task;
    private final String what;
    private final int most;
    private final Duration limit;

    /** Makes a group. The task returns what has come of each of its parts, in their order. */
    GroupWork(ActorScope scope, String what, int most, Duration limit, CreationStrategy strategy,
            Task<T, V> task) {
        this.scope = scope;
        this.what = what;
        this.most = most;
        this.limit = limit;
        this.task = task;
        worker = scope.named(what).strategy(strategy).newActor(call -> work());
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

    /** Returns about how many parts wait for the next group, for a test. */
    int waiting() {
        return waiting.size();
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
        failAll(new IllegalStateException("the store is closed"));
    }

    private void work() {
        told.set(false);
        while (true) {
            var group = next();
            if (group.isEmpty()) {
                return;
            }
            begin(group);
            try {
                var results = task.run(group.stream().map(Part::work).toList());
                for (int i = 0; i < group.size(); i++) {
                    group.get(i).done().complete(results.get(i));
                }
            } catch (Throwable e) {
                // Each of those who wait throws it.
                group.forEach(part -> part.done().completeExceptionally(e));
            } finally {
                atWork = null;
            }
        }
    }

    private List<Part<T, V>> next() {
        var group = new ArrayList<Part<T, V>>();
        while (group.size() < most) {
            var part = waiting.poll();
            if (part == null) {
                break;
            }
            // The wait for some parts may be over already.
            if (!part.done().isDone()) {
                group.add(part);
            }
        }
        return group;
    }

    /**
     * Begins a group, which has {@link #limit} from now on. One timer serves all groups of that time: a timer for each would
     * cost more than a small group does. A group that begins is there before it looks for a timer, and a timer that finds no
     * group says that there is none before it looks again. So one of the two sets a timer.
     */
    private void begin(List<Part<T, V>> group) {
        atWork = new AtWork<>(group, scope.time().nanoTime());
        if (!timed.getAndSet(true)) {
            look(limit);
        }
    }

    private void look(Duration after) {
        try {
            scope.scheduler().run(Schedule.once(after), this::endLate);
        } catch (IllegalStateException closing) {
            // The scope takes no more jobs. Its close has a limit of its own, and what waits is done until then.
        }
    }

    /** Fails those who wait for too long, those behind the group included. */
    private void endLate() {
        var group = atWork;
        if (group == null) {
            timed.set(false);
            group = atWork;
            if (group == null || timed.getAndSet(true)) {
                return;
            }
        }
        var left = limit.minusNanos(scope.time().nanoTime() - group.since());
        if (left.isPositive()) {
            look(left);
            return;
        }
        var late = new IllegalStateException("the store has not answered for " + limit);
        group.parts().forEach(part -> part.done().completeExceptionally(late));
        failAll(late);
        look(limit);
    }

    private void failAll(Exception reason) {
        for (var part = waiting.poll(); part != null; part = waiting.poll()) {
            part.done().completeExceptionally(reason);
        }
    }

    private record Part<T, V>(T work, CompletableFuture<V> done) {
    }

    /** A group at work, and when it began. */
    private record AtWork<T, V>(List<Part<T, V>> parts, long since) {
    }

    /** Does the work of a group. */
    @FunctionalInterface
    interface Task<T, V> {
        List<V> run(List<T> parts) throws Exception;
    }
}
