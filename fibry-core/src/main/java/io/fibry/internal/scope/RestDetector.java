package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.clock.Alarm;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.SharedDeadline;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.details.TimeoutDetails;
import io.fibry.internal.mailbox.SharedCell;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Gate;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Detects that the actors of a scope are at rest: they have done all that they can do at the current moment of a
 * clock that a test moves by hand. The detector only looks, as often as needed, and sends nothing, since a message
 * would be work for an actor that may be about to stop as idle.
 *
 * <p>An actor is at rest if it is idle, if it pauses before a restart, if it is the mailbox of others, or if its handler
 * waits. A waiting handler is certain only after a while, since a platform thread that was just woken still appears to
 * wait.
 *
 * <p>Two consecutive looks must find all actors at rest, and no actor may have finished a node between them. Then
 * all actors were at rest at the moment between the two looks, as in {@link ScopeDrain}.
 */
final class RestDetector implements TimeSource.Activity {
    /** A handler that has waited this long in one place waits for an event that does not come by itself. */
    private static final long WAITS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** The same time for a handler that waits with a limit of the real time, as {@code Thread.sleep} does. */
    private static final long SLEEPS_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    /** The same time for a turn that does not begin: handlers that wait may occupy all threads. */
    private static final long QUEUED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** What counts between two looks at most: where this thread comes late, those that it looks at may be late as well. */
    private static final long BETWEEN_LOOKS_NANOS = 2 * PAUSE_NANOS;
    /** The number of looks without a pause between them. */
    private static final int QUICK_LOOKS = 200;

    private enum Kind {
        IDLE(0), WAITS(WAITS_NANOS), SLEEPS(SLEEPS_NANOS), QUEUED(QUEUED_NANOS), RUNS(Long.MAX_VALUE);

        final long untilRest;

        Kind(long untilRest) {
            this.untilRest = untilRest;
        }
    }

    /** What an actor does, and since when the detector has seen it do that. */
    private record Look(Kind kind, long finished, @Nullable Thread thread, long since, boolean stood) {
        boolean isLike(Look other) {
            return kind == other.kind && finished == other.finished && thread == other.thread;
        }
    }

    private final Scope scope;
    /** Set once, by a test, before the first call. */
    LongSupplier clock = SystemTime.INSTANCE::nanoTime;
    /**
     * What was found when all actors were at rest. If two callers race, one of them needs some more looks. Written by
     * the thread that moves the clock.
     */
    private volatile Map<Cell, Look> rested = Map.of();

    RestDetector(Scope scope) {
        this.scope = scope;
    }

    @Override
    public Duration awaitRest(Duration limit, boolean again) throws InterruptedException, TimeoutException {
        long begun = SystemTime.INSTANCE.nanoTime();
        var end = new SharedDeadline(SystemTime.INSTANCE, Durations.nanos(limit, "limit"));
        var before = again ? rested : Map.<Cell, Look>of();
        var atRest = false;
        var read = clock.getAsLong();
        var now = 0L; // as far as this thread has looked on
        for (int round = 0;; round++) {
            var last = read;
            read = clock.getAsLong();
            now += Math.min(read - last, BETWEEN_LOOKS_NANOS);
            var found = new ArrayList<Cell>();
            var areAll = scope.collect(found);
            var current = look(found, before, now);
            var wasAtRest = atRest && isSame(before, current);
            atRest = areAll && isAtRest(current);
            if (atRest && wasAtRest) {
                var isUnchanged = isSame(rested, current);
                rested = new WeakHashMap<>(current);
                return isUnchanged ? Duration.ZERO
                        : Duration.ofNanos(Math.max(1, SystemTime.INSTANCE.nanoTime() - begun));
            }
            if (end.isOver()) {
                throw new TimeoutException(text(current));
            }
            if (round >= QUICK_LOOKS || before.size() > current.size()
                    || current.values().stream().anyMatch(RestDetector::mayLag)) {
                new Gate().await(SystemTime.INSTANCE, PAUSE_NANOS);
            } else {
                Thread.yield();
            }
            before = current;
        }
    }

    /** Returns whether the state of the thread may be out of date. */
    private static boolean mayLag(Look look) {
        return look.thread != null && look.kind != Kind.RUNS && !look.thread.isVirtual();
    }

    private static Map<Cell, Look> look(List<Cell> found, Map<Cell, Look> before, long now) {
        var looks = new IdentityHashMap<Cell, Look>();
        for (var cell : found) {
            if (!Current.isWithin(cell)) { // such an actor cannot rest before the caller has returned
                looks.put(cell, look(cell, before.get(cell), now));
            }
        }
        return looks;
    }

    private static Look look(Cell cell, @Nullable Look last, long now) {
        var finished = cell.finishedSoFar();
        assert Interleave.here();
        var fresh = present(cell, finished, last, now);
        var thread = fresh.thread;
        if (last == null || !last.isLike(fresh)) {
            return fresh;
        }
        return new Look(fresh.kind, finished, thread, last.since,
                last.stood || now - last.since >= fresh.kind.untilRest);
    }

    private static Look present(Cell cell, long finished, @Nullable Look last, long now) {
        if (cell.isIdle() || isPausing(cell) || cell instanceof SharedCell) {
            return new Look(Kind.IDLE, finished, null, now, false);
        }
        var worker = cell.turn() == null ? null : cell.worker();
        return new Look(kind(cell, worker, last, now), finished, worker, now, false);
    }

    private static Kind kind(Cell cell, @Nullable Thread thread, @Nullable Look last, long now) {
        var edge = cell.waiting();
        if (edge != null && edge.isOver()) {
            return Kind.RUNS; // it was woken
        }
        if (thread == null) {
            return Kind.QUEUED;
        }
        return switch (thread.getState()) {
            case WAITING, BLOCKED -> Kind.WAITS;
            case TIMED_WAITING -> Kind.SLEEPS;
            case RUNNABLE -> isInSystem(thread, last, now) ? Kind.WAITS : Kind.RUNS;
            case NEW, TERMINATED -> Kind.RUNS;
        };
    }

    private static boolean isPausing(Cell cell) {
        var extended = cell.extendedStateIfAny();
        var supervision = extended == null ? null : extended.supervisionIfAny();
        return supervision != null && supervision.isPausing();
    }

    /**
     * Returns whether a thread waits in the operating system, for a connection for example. The JVM shows such a
     * thread as running.
     */
    private static boolean isInSystem(Thread thread, @Nullable Look last, long now) {
        if (last == null || last.thread != thread
                || (last.kind == Kind.RUNS && now - last.since < PAUSE_NANOS)) {
            return false;
        }
        var stack = thread.getStackTrace();
        return stack.length > 0 && stack[0].isNativeMethod();
    }

    private static boolean isSame(Map<Cell, Look> before, Map<Cell, Look> current) {
        return before.size() == current.size() && current.entrySet().stream().allMatch(each -> {
            var last = before.get(each.getKey());
            return last != null && last.isLike(each.getValue());
        });
    }

    private boolean isAtRest(Map<Cell, Look> current) {
        return !scope.isStartingJobs() && Alarm.allHeard()
                && current.values().stream().allMatch(look -> look.kind == Kind.IDLE || look.stood);
    }

    private String text(Map<Cell, Look> current) {
        List<String> busy = current.entrySet().stream()
                .filter(each -> each.getValue().kind != Kind.IDLE && !each.getValue().stood)
                .map(each -> text(each.getKey(), each.getValue())).collect(Collectors.toList());
        return busy.isEmpty() ? "what was scheduled in scope '" + scope.name() + "'"
                : String.join("; ", busy);
    }

    private static String text(Cell cell, Look look) {
        var stack = look.thread == null ? new StackTraceElement[0] : look.thread.getStackTrace();
        return "actor '" + cell.name() + "' " + (look.kind == Kind.QUEUED
                ? "whose turn does not begin"
                : "with " + cell.mailboxSize() + " waiting" + TimeoutDetails.place(stack));
    }
}
