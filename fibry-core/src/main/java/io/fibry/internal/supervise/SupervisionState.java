package io.fibry.internal.supervise;

import io.fibry.EscalatedException;
import io.fibry.FailurePolicy;
import io.fibry.FailurePolicy.Restart;
import io.fibry.event.Escalated;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.actor.Supervision;
import io.fibry.internal.actor.Supervision.Watcher;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The state of an actor that has failed, or that takes part in the failures of others. It belongs to the {@link
 * ExtendedState} and is made when it is first needed.
 *
 * <p>The states of a pause before a restart, and the threads that make each transition:
 *
 * <pre>
 *   pause: null -> RestartPause    the turn, which then does not touch the actor any more
 *          RestartPause -> null    the timer, by CAS; or a thread that asks for the end, by exchange; or the turn
 *                                  itself, by exchange, if it finds that the end was asked for. The thread that
 *                                  gets the pause submits the turn that goes on
 * </pre>
 *
 * <p>During a pause the mailbox is busy, as if a turn ran, so no sender starts one. A thread that asks for the end
 * first records its request and then looks for a pause. The turn first publishes the pause and then looks for a
 * request. So one of them sees the other, and an actor that pauses can always be stopped.
 */
public final class SupervisionState extends Supervision {
    private static final VarHandle PAUSE =
            FieldAccess.of(MethodHandles.lookup(), "pause", RestartPause.class);

    private static final Function<Restart, RestartHistory> NEW_HISTORY = RestartHistory::new;
    private static final Comparator<Map.Entry<Watcher, Long>> LINKS_FIRST =
            Comparator.<Map.Entry<Watcher, Long>, Boolean>comparing(each -> !(each.getKey() instanceof Link))
                    .thenComparing(Map.Entry::getValue);

    /**
     * Written by the turn; taken out by the timer, by CAS, or by another thread, by an exchange. The taker
     * submits the turn.
     */
    private volatile @Nullable RestartPause pause;

    /**
     * The watchers, numbered in the order in which they came. A watcher is listed and then reads the phase; the
     * actor sets its phase and then reads the list. Who removes it tells it.
     */
    private final Map<Watcher, Long> watchers = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    /** The actors that this actor watches. Written by its turn. */
    private final Map<Cell, Watch> watching = new ConcurrentHashMap<>();
    private final Children children = new Children();
    /** How often the actor was restarted. Written by its turn. */
    private volatile int restarts;

    // Used by the turn only.
    private final Map<Restart, RestartHistory> histories = new HashMap<>();
    private long paused;
    private long finishedBefore;
    private long runsSince;
    private boolean runs = true;
    private @Nullable Throwable escalated;

    /** Returns the policy for a failure. It is never a {@link FailurePolicy.Decide}: this method asks those. */
    static FailurePolicy policy(Cell cell, Throwable failure) {
        var policy = cell.spec().onFailure();
        while (policy instanceof FailurePolicy.Decide decide) {
            policy = decide.policyFor(failure);
        }
        return policy;
    }

    // ---- Restarts. Called by the turn. ----

    /** Returns the pause before one more restart; empty if there were too many restarts. */
    OptionalLong restartAfter(Restart policy, long now, RandomGenerator random) {
        var ranFor = runs ? now - runsSince : -1;
        runs = false;
        return histories.computeIfAbsent(policy, NEW_HISTORY).failed(now - paused, ranFor,
                random);
    }

    /** Records that the actor is about to make a new handler. */
    void beginAttempt(Cell cell) {
        finishedBefore = cell.finishedSoFar();
    }

    /** Returns whether the actor has finished no message since its last attempt to begin. */
    boolean hasDoneNothing(Cell cell) {
        return cell.finishedSoFar() == finishedBefore;
    }

    void addPause(long nanos) {
        paused += nanos;
    }

    /** Counts a restart, after which the actor goes on. Returns the number of restarts. */
    int countRestart(long now) {
        runs = true;
        runsSince = now;
        var number = restarts + 1;
        restarts = number;
        return number;
    }

    /** Stops the actor and records the failure, which its parent gets at its end. */
    void escalate(Cell cell, Throwable failure) {
        if (escalated == null) {
            escalated = failure;
        }
        cell.setExitReason(Reason.FAILURE);
    }

    /** Reports the escalation, if there is one. Called at the end of the actor. */
    @Override
    public void reportEscalation(Cell cell) {
        if (escalated != null) {
            var parent = cell.spec().parent();
            cell.report(
                    new Escalated(cell.name(), parent == null ? Optional.empty() : Optional.of(parent.name()),
                            escalated));
        }
    }

    /** Returns the state of an actor. Makes it if there is none. */
    static SupervisionState of(Cell cell) {
        return (SupervisionState) cell.supervision(); // SupervisionState is the only Supervision
    }

    /** Returns the state of the actor of a turn. The turn then knows that the actor has extended state. */
    static SupervisionState of(Turn turn) {
        turn.extendedState();
        return of(turn.cell);
    }

    // ---- Children, watches and links. ----

    Children children() {
        return children;
    }

    @Override
    public boolean addChild(Cell child, Cell parent) {
        return children.add(child, parent);
    }

    @Override
    public void removeChild(Cell child) {
        children.remove(child);
    }

    @Override
    public boolean hasChildren() {
        return !children.isEmpty();
    }

    @Override
    public int childCount() {
        return children.size();
    }

    @Override
    public int restartCount() {
        return restarts;
    }

    @Override
    public void stopChildren(Cell parent, @Nullable Reason reason) {
        children.stopAll(parent, reason);
    }

    /** Tells the watchers and the parent that the actor has stopped. */
    @Override
    public void tell(Cell cell, Stopped how) {
        // Links come first: a link does nothing while the other actor still watches this one.
        var inOrder = new ArrayList<>(watchers.entrySet());
        inOrder.sort(LINKS_FIRST);
        for (var each : inOrder) {
            tell(each.getKey(), cell, how);
        }
        var parent = cell.spec().parent();
        if (escalated != null && parent != null) {
            parent.sendControlAway(new EscalationNode(new EscalatedException(cell.name(), escalated)));
        }
        escalated = null;
        histories.clear();
    }

    /**
     * Tells a watcher of the end of an actor. The thread that removes the watcher from the list tells it: this is
     * the turn of the actor that has ended, or a watcher that came too late.
     */
    private void tell(Watcher watcher, Cell cell, Stopped how) {
        if (watchers.remove(watcher) != null) {
            watcher.hear(cell, how);
        }
    }

    /**
     * Adds a watcher of an actor. This method first lists the watcher and then checks whether the actor has stopped.
     * The actor first opens {@code exited} and then reads the list. So one of the two tells the watcher.
     */
    @Override
    public void addWatcher(Watcher watcher, Cell cell) {
        list(watcher);
        assert Interleave.here();
        // mutant: late-watcher-does-not-look
        if (cell.hasExited()) {
            tell(watcher, cell, Termination.how(cell));
        }
    }

    private void list(Watcher watcher) {
        watchers.put(watcher, numbers.getAndIncrement());
    }

    @Override
    public void removeWatcher(Watcher watcher) {
        watchers.remove(watcher);
    }

    /** Makes one actor watch another one. Called by the turn of the watcher. */
    @Override
    public void watch(Cell by, Cell over, Function<Stopped, Object> notice) {
        unwatch(over);
        var watch = new Watch(by, over, notice);
        watching.put(over, watch);
        of(over).addWatcher(watch, over);
    }

    @Override
    public boolean unwatch(Cell other) {
        var watch = watching.remove(other);
        if (watch == null) {
            return false;
        }
        of(other).removeWatcher(watch);
        return true;
    }

    @Override
    public void unwatchAll() {
        for (var other : watching.keySet()) {
            unwatch(other);
        }
    }

    boolean watches(Watch watch) {
        return watching.get(watch.over()) == watch;
    }

    boolean watches(Cell other) {
        return watching.containsKey(other);
    }

    /** Removes a watch whose notice is being handled. */
    void endWatch(Cell other) {
        watching.remove(other);
    }

    /** Links two actors. Called by the turn of {@code one}. */
    @Override
    public void link(Cell one, Cell other) {
        var link = new Link(one, other);
        of(one).list(link);
        of(other).addWatcher(link, other);
    }

    @Override
    public void unlink(Cell one, Cell other) {
        var link = new Link(one, other);
        of(one).removeWatcher(link);
        of(other).removeWatcher(link);
    }

    // ---- Pauses. ----

    private record EndOfPause(SupervisionState state, RestartPause pause) implements Runnable {
        @Override
        public void run() {
            assert Interleave.here();
            if (PAUSE.compareAndSet(state, pause, (RestartPause) null)) {
                pause.goOn();
            }
        }
    }

    /**
     * Pauses the actor, which the turn has left. Another turn goes on after the pause, or as soon as the actor is
     * asked to stop.
     */
    @Override
    public void pause(Cell cell, Turn rest, long nanos) {
        var mine = new RestartPause(rest);
        pause = mine;
        assert Interleave.here();
        // mutant: pause-begins-after-a-request-to-exit
        if (nanos <= 0 || cell.extendedState().isToEnd()) {
            endPause();
            return;
        }
        mine.timer = cell.spec().scope().time().schedule(nanos, new EndOfPause(this, mine));
        assert Interleave.here();
        if (pause != mine) {
            mine.cancelTimer();
        }
    }

    /** Returns whether the actor pauses before a restart and the timer that ends the pause is set. Called by any thread. */
    @Override
    public boolean isPausing() {
        var mine = pause;
        return mine != null && mine.timer != null;
    }

    /** Ends the pause, if there is one. Called by any thread. */
    @Override
    public void endPause() {
        if (pause == null) {
            return;
        }
        var mine = (RestartPause) PAUSE.getAndSet(this, (RestartPause) null);
        if (mine != null) {
            mine.cancelTimer();
            mine.goOn();
        }
    }
}
