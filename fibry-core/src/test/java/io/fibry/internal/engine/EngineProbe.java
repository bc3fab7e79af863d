package io.fibry.internal.engine;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.LaneMonitor;
import io.fibry.internal.run.Lanes;
import io.fibry.internal.run.NamedRunner;
import io.fibry.internal.run.Placement;
import io.fibry.internal.run.Placement.Fairness;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.SteppedMonitor;
import io.fibry.internal.run.YieldingHandoff;
import io.fibry.internal.scope.Scope;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;

/** Lets test infrastructure in other packages see and steer the engine. */
public final class EngineProbe {
    private EngineProbe() {
    }

    private record On(Placement placement) implements Placement.Known {
    }

    /** Whether the calling thread has the name of an actor that does not run on it. */
    public static boolean hasNameOfAnother() {
        var name = Thread.currentThread().getName();
        var strand = Current.runner();
        for (var turn = strand == null ? null : Current.turnOn(strand); turn != null; turn = turn.below()) {
            if (name.equals(NamedRunner.threadName(turn))) {
                return false;
            }
        }
        return name.startsWith(NamedRunner.THREAD + "-");
    }

    /** Takes the runner from the calling thread; returns whether it had one. */
    public static boolean removeRunner() {
        var had = Runner.current() != null;
        Runner.leave();
        return had;
    }

    /** How many timers of the system's clock are set. */
    public static int pendingTimers() {
        return SystemTime.INSTANCE.pending();
    }

    /** Sets a timer of the system's clock. */
    public static Cancellable systemTimer(Duration delay, Runnable task) {
        return SystemTime.INSTANCE.schedule(delay.toNanos(), task);
    }

    /** Sets a timer of the system's clock that does nothing. */
    public static Cancellable systemTimer(Duration delay) {
        return SystemTime.INSTANCE.schedule(delay.toNanos(), () -> {
        });
    }

    /** How many names of the root scope are taken or waited for. */
    public static int rootFootprint() {
        return footprint(RootScope.root());
    }

    /** How many names, actors and scopes a scope still knows. */
    public static int footprint(ActorScope scope) {
        var mine = (Scope) scope;
        var members = mine.members();
        return mine.nameTable().size() + (members == null ? 0 : members.size()) + mine.children().size()
                + mine.jobCount() + mine.abandoned().size();
    }

    /** How many places of a scope's limits are taken. */
    public static int placesTaken(ActorScope scope) {
        var budget = ((Scope) scope).budget();
        return budget == null ? 0 : budget.taken();
    }

    /** Whether a sender would see without a look at the mailbox that the actor has stopped. */
    public static boolean isStopping(Actor<?, ?> actor) {
        return ((Cell) actor).isStopping();
    }

    /** Ends the actor whose handler calls this, also one that the library has made for itself. */
    public static void endCurrentActor() {
        Objects.requireNonNull(Current.turn(), "a handler").cell.askExit();
    }

    /** How many scopes a scope's watchdog looks at. */
    public static int watched(ActorScope scope) {
        return Objects.requireNonNull(((Scope) scope).sampler(), "a watchdog").covered();
    }

    /** The classes with the tables of switches that are loaded early. */
    public static List<String> switchTables() {
        return Assembly.SWITCH_TABLES;
    }

    /** Whether an actor's handler waits for another actor. */
    public static boolean waits(Actor<?, ?> actor) {
        return ((Cell) actor).waiting() != null;
    }

    /** As {@link CreationStrategy#fibers}, with other threads. */
    public static CreationStrategy fibersOn(Executor threads) {
        return new On(Placement.onFibers(threads, YieldingHandoff.INSTANCE));
    }

    /** As {@link CreationStrategy#fibers} with lanes, on other threads; one of them is the monitor at times. */
    public static CreationStrategy lanesOn(Executor threads, TimeSource time, Runnable beforeAndAfter) {
        var lanes = new Lanes(threads, time, true, YieldingHandoff.INSTANCE, 2, 1);
        lanes.watchedBy(new SteppedMonitor(lanes, threads, beforeAndAfter)::watch);
        return new On(Placement.onFibers(lanes, YieldingHandoff.INSTANCE));
    }

    /** The same, in a process that has just begun. */
    public static CreationStrategy coldLanesOn(Executor threads, TimeSource time) {
        var lanes = new Lanes(threads, time, true, YieldingHandoff.INSTANCE, 2);
        return new On(
                Placement.onFibers(lanes.watchedBy(LaneMonitor.cold(lanes, time)), YieldingHandoff.INSTANCE));
    }

    /** As {@link CreationStrategy#fibers} with lanes, by another clock. */
    public static CreationStrategy lanesOn(Executor threads, TimeSource time) {
        var lanes = new Lanes(threads, time, true, YieldingHandoff.INSTANCE, 2);
        return new On(Placement.onFibers(lanes.watchedBy(new LaneMonitor(lanes, time)::watch),
                YieldingHandoff.INSTANCE));
    }

    /** As {@link CreationStrategy#pool}, with other threads. */
    public static CreationStrategy poolOn(Executor threads) {
        return new On(new Placement(threads, Fairness.RESUBMITS, true, false));
    }

    /** What runs at the engine's marked points, and where its own fibers run. */
    public static void interleave(Runnable hook, Executor fibers, TimeSource time) {
        Interleave.hook(hook);
        SystemTime.standIn(time);
        Interleave.fibers(fibers);
    }

    /** Where the engine's own fibers run until the schedule ends. */
    public static void fibers(Executor fibers) {
        Interleave.fibers(fibers);
    }

    /** Takes that back. */
    public static void stopInterleaving() {
        Interleave.hook(() -> {
        });
        Interleave.fibers(null);
        SystemTime.standIn(null);
    }
}
