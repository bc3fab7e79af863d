package io.fibry.internal.scope;

import io.fibry.ActorState;
import io.fibry.StopReport;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.clock.SharedDeadline;
import io.fibry.internal.handle.Stopping;
import io.fibry.internal.memory.Interleave;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One closing of a scope by one thread. Several threads may close a scope at the same time. A closing has these
 * steps: the actors take no more messages from outside; the actors that bring in work are stopped; the scope is
 * drained; the inner scopes are stopped, and then the actors phase by phase. The actor that holds the resources of
 * the scope is stopped last.
 */
final class Closing {
    private final Scope scope;
    private final SharedDeadline deadline;
    private final List<String> stuck = new ArrayList<>();
    private final Map<String, List<StackTraceElement>> stacks = new LinkedHashMap<>();
    private final List<StopReport> inner = new ArrayList<>();
    /** The actors among those that are stuck which end when the handler that runs this closing has ended. */
    private final Set<String> leaving = new HashSet<>();
    private boolean forced;
    private boolean interrupted;
    /**
     * The actor of this scope whose handler runs this closing, if there is one. The closing cannot wait for it, so
     * it ends last.
     */
    private @Nullable Cell caller;
    /**
     * The actor that ends last: {@link #caller}, or the actor that holds the resources if that ends after {@link
     * #caller}.
     */
    private @Nullable Cell last;

    private Closing(Scope scope, SharedDeadline deadline) {
        this.scope = scope;
        this.deadline = deadline;
    }

    static StopReport run(Scope scope, long nanos) {
        var closing = new Closing(scope, new SharedDeadline(scope.time(), nanos));
        try {
            return closing.run();
        } finally {
            if (closing.interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private StopReport run() {
        scope.stopIntake();
        assert Interleave.here();
        stopSources(scope);
        var begin = now();
        drain();
        var drained = Duration.ofNanos(now() - begin);
        stopRest();
        var report = report(drained);
        scope.ended(atEnd(report));
        return report;
    }

    private long now() {
        return scope.time().nanoTime();
    }

    private void stopSources(Scope from) {
        from.children().forEach(this::stopSources);
        byPhase(from).headMap(0).values().forEach(this::stopAll);
    }

    private void drain() {
        if (interrupted) {
            return;
        }
        try {
            new ScopeDrain(scope, deadline).await(); // if the time is over, the next steps stop the rest
        } catch (InterruptedException e) {
            interrupted = true; // the interrupt asks for the end of the closing, so the scope ends without a drain
        }
    }

    private void stopRest() {
        scope.stage().close();
        assert Interleave.here();
        for (var child : scope.children()) {
            var closing = new Closing(child, deadline);
            closing.interrupted = interrupted;
            closing.stopRest();
            interrupted = closing.interrupted;
            forced |= closing.forced;
            if (closing.caller != null) {
                caller = Current.outermost(closing.caller, caller);
                last = caller;
            }
            stuck.addAll(closing.stuck);
            leaving.addAll(closing.leaving);
            stacks.putAll(closing.stacks);
            var report = closing.report(Duration.ZERO);
            child.ended(closing.atEnd(report));
            inner.add(report);
        }
        for (var phase : byPhase(scope).values()) {
            stopAll(phase);
        }
        SendToName.loseKept(scope);
        scope.abandoned().forEach((thread, cell) -> addStuck(cell, thread.stack()));
        if (last == null || !last.extendedState().addHook(scope::releaseAll)) {
            scope.releaseAll();
        }
    }

    private static SortedMap<Integer, List<Cell>> byPhase(Scope scope) {
        var phases = new TreeMap<Integer, List<Cell>>();
        for (var cell : scope.cells()) {
            phases.computeIfAbsent(eldest(cell).spec().stopPhase(), phase -> new ArrayList<>()).add(cell);
        }
        return phases;
    }

    /**
     * Returns the ancestor of an actor that has no parent, or the actor itself. An actor and its ancestors end
     * together.
     */
    private static Cell eldest(Cell cell) {
        var eldest = cell;
        for (var parent = cell.spec().parent(); parent != null; parent = parent.spec().parent()) {
            eldest = parent;
        }
        return eldest;
    }

    /**
     * Stops actors at the same time and waits for their end. If no time is left the actors are stopped by force at
     * once.
     */
    private void stopAll(List<Cell> cells) {
        var atOnce = interrupted || deadline.isOver();
        var waiting = new ArrayList<Cell>();
        for (var cell : cells) {
            if (isBeingReported(cell)) {
                continue;
            }
            if (Current.isInside(cell)) {
                cell.askExit(); // it ends when its handler, which runs this closing, returns
                caller = Current.outermost(cell, caller);
                last = caller;
                addLeaving(cell);
            } else if (Current.isWithin(cell)) {
                cell.askExit(); // an ancestor of that actor: it ends after its descendant
                addLeaving(cell);
            } else if (!endsWithCaller(cell)) {
                if (!atOnce && !endsWithParent(cell)) {
                    cell.sendPoisonPill();
                }
                waiting.add(cell);
            }
        }
        if (!atOnce) {
            waiting.removeIf(this::endsInTime);
            waiting.removeIf(Cell::hasExited);
        }
        for (var cell : waiting) {
            forced |= Stopping.stopAtOnce(cell, Reason.POISON_PILL);
        }
        var grace = Stopping.grace();
        for (var cell : waiting) {
            Stopping.awaitForced(cell, grace);
            if (!cell.hasExited()) {
                addStuck(cell);
            }
        }
    }

    /**
     * Returns whether an actor has stopped, its stop is being reported, and the caller must not wait for that. The caller
     * runs in the scope itself, maybe in a listener, and the listener that hears of that stop may wait for the caller.
     */
    private boolean isBeingReported(Cell cell) {
        // mutant: listener-that-closes-waits-until-an-end-is-told
        return cell.state() == ActorState.STOPPED && scope.stage().isCalledFromInside();
    }

    /**
     * Returns whether an actor holds the resources and ends with the calling actor. That actor may still use the
     * resources, so its exit hook stops the holder.
     */
    private boolean endsWithCaller(Cell cell) {
        if (cell.spec().stopPhase() != ActorSpec.LAST_PHASE || caller == null
                || !caller.extendedState().addHook(cell::sendPoisonPill)) {
            return false;
        }
        last = cell;
        return true;
    }

    /** Returns whether the parent of an actor stops it, which happens when the parent ends. */
    private static boolean endsWithParent(Cell cell) {
        var ends = false;
        for (var parent = cell.spec().parent(); parent != null; parent = parent.spec().parent()) {
            if (Current.isWithin(parent)) {
                return false;
            }
            ends = true;
        }
        return ends;
    }

    private boolean endsInTime(Cell cell) {
        try {
            return !interrupted && Stopping.awaitStop(cell, deadline.nanosLeft());
        } catch (InterruptedException e) {
            interrupted = true;
            return false;
        }
    }

    private void addStuck(Cell cell) {
        addStuck(cell, cell.stack());
    }

    private void addLeaving(Cell cell) {
        addStuck(cell);
        leaving.add(cell.name());
    }

    private void addStuck(Cell cell, List<StackTraceElement> stack) {
        var name = cell.name();
        if (!stuck.contains(name)) {
            stuck.add(name);
        }
        if (!stack.isEmpty()) {
            stacks.putIfAbsent(name, stack);
        }
    }

    /** Returns the report as it is when the handler that runs this closing has ended, if there is one. */
    private StopReport atEnd(StopReport report) {
        if (leaving.isEmpty()) {
            return report;
        }
        var left = new ArrayList<>(report.stuck());
        left.removeAll(leaving);
        var leftStacks = new LinkedHashMap<>(report.stacks());
        leftStacks.keySet().removeAll(leaving);
        return new StopReport(report.name(), left.isEmpty(), report.forced(), left, report.counters(),
                report.lost(),
                leftStacks, report.drain(), report.inner());
    }

    private StopReport report(Duration drained) {
        return new StopReport(scope.name(), stuck.isEmpty(), forced, stuck, scope.counters(),
                scope.fates().lost(), stacks, drained, inner);
    }
}
