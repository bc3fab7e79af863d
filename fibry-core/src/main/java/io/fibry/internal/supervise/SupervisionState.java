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
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.Watcher;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
 * What an actor has that fails, or has to do with the failures of others. It hangs off the {@link ExtendedState} and
 * is made when first needed.
 *
 * <p>A pause before a restart, and who ends it:
 *
 * <pre>
 *   pause: null -> Pause    the turn, which has left the actor and touches it no more
 *          Pause -> null    the timer, by CAS; or whoever asks for the end, or the turn itself when it finds that
 *                           somebody has, by exchange. Who gets the pause submits the turn that goes on
 * </pre>
 *
 * <p>Meanwhile the mailbox is busy as if a turn ran, so no sender starts one. Whoever asks for the end first says
 * so and then looks for a pause; the turn publishes the pause and then looks whether somebody has. So one sees
 * the other, and an actor that pauses can always be stopped.
 */
public final class SupervisionState extends Supervision {
    private static final VarHandle PAUSE =
            FieldAccess.of(MethodHandles.lookup(), "pause", RestartPause.class);

    private volatile @Nullable RestartPause pause;

    /** With numbers in the order they came. */
    private final Map<Watcher, Long> watchers = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    /** Whom the actor watches. Written by its turn. */
    private final Map<Cell, Watch> watching = new ConcurrentHashMap<>();
    private final Children children = new Children();

    // Touched by the turn only.
    private final Map<Restart, RestartHistory> histories = new HashMap<>();
    private int restarts;
    private long paused;
    private long finishedBefore;
    private long runsSince;
    private boolean runs = true;
    private @Nullable Throwable escalated;

    /** What follows a failure; decisions within decisions are taken. */
    static FailurePolicy policy(Cell cell, Throwable failure) {
        var policy = cell.spec().onFailure();
        while (policy instanceof FailurePolicy.Decide decide) {
            policy = decide.policyFor(failure);
        }
        return policy;
    }

    // ---- Restarts; by the turn. ----

    /** The pause before one more restart; empty if there were too many. */
    OptionalLong restartAfter(Restart policy, long now, RandomGenerator random) {
        var ranFor = runs ? now - runsSince : -1;
        runs = false;
        return histories.computeIfAbsent(policy, RestartHistory::new).failed(now - paused, ranFor,
                random);
    }

    /** It is about to begin anew. */
    void beginAttempt(Cell cell) {
        finishedBefore = cell.finishedSoFar();
    }

    /** Whether nothing was done with any message since it last began anew. */
    boolean hasDoneNothing(Cell cell) {
        return cell.finishedSoFar() == finishedBefore;
    }

    void addPause(long nanos) {
        paused += nanos;
    }

    /** The actor goes on; how often it was restarted by now. */
    int countRestart(long now) {
        runs = true;
        runsSince = now;
        return ++restarts;
    }

    /** The actor is to stop, and to pass its failure on. */
    void escalate(Cell cell, Throwable failure) {
        if (escalated == null) {
            escalated = failure;
        }
        cell.exit(Reason.FAILURE);
    }

    /** Tells of an escalation, if there is one. The actor is as good as stopped. */
    @Override
    public void reportEscalation(Cell cell) {
        if (escalated != null) {
            cell.report(new Escalated(cell.name(), Optional.ofNullable(cell.spec().parent()).map(Cell::name),
                    escalated));
        }
    }

    /** Returns the state of an actor, which is made if there is none. */
    static SupervisionState of(Cell cell) {
        return (SupervisionState) cell.supervision(); // there is no other kind
    }

    /** The same for the actor of a turn, which then knows that the actor is more than its cell. */
    static SupervisionState of(Turn turn) {
        turn.extendedState();
        return of(turn.cell);
    }

    // ---- Others. ----

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
    public void stopChildren(Cell parent, @Nullable Reason reason) {
        children.stopAll(parent, reason);
    }

    /** The actor has stopped: those who are to know hear of it. */
    @Override
    public void tell(Cell cell, Stopped how) {
        // Links first: a watch that is not over yet keeps them off.
        watchers.entrySet().stream()
                .sorted(Comparator.<Map.Entry<Watcher, Long>, Boolean>comparing(
                        e -> !(e.getKey() instanceof Link))
                        .thenComparing(Map.Entry::getValue))
                .map(Map.Entry::getKey).forEach(watcher -> tell(watcher, cell, how));
        var parent = cell.spec().parent();
        if (escalated != null && parent != null) {
            parent.sendControlAway(new EscalationNode(new EscalatedException(cell.name(), escalated)));
        }
        escalated = null;
        histories.clear();
    }

    /** Who takes the watcher off the list tells it: the one that has ended, or one that came too late. */
    private void tell(Watcher watcher, Cell cell, Stopped how) {
        if (watchers.remove(watcher) != null) {
            watcher.hear(cell, how);
        }
    }

    /** It is listed, then looks whether the actor has stopped; that one first says so, then looks at the list. */
    private void add(Watcher watcher, Cell cell) {
        list(watcher);
        Interleave.here();
        // mutant: late-watcher-does-not-look
        if (cell.extendedState().exited.isOpen()) {
            tell(watcher, cell, Termination.how(cell));
        }
    }

    private void list(Watcher watcher) {
        watchers.put(watcher, numbers.getAndIncrement());
    }

    void forget(Watcher watcher) {
        watchers.remove(watcher);
    }

    /** By the turn of the one that watches. */
    @Override
    public void watch(Cell by, Cell over, Function<Stopped, Object> notice) {
        unwatch(over);
        var watch = new Watch(by, over, notice);
        watching.put(over, watch);
        of(over).add(watch, over);
    }

    @Override
    public boolean unwatch(Cell other) {
        var watch = watching.remove(other);
        if (watch == null) {
            return false;
        }
        of(other).forget(watch);
        return true;
    }

    @Override
    public void unwatchAll() {
        watching.keySet().forEach(this::unwatch);
    }

    boolean watches(Watch watch) {
        return watching.get(watch.over()) == watch;
    }

    boolean watches(Cell other) {
        return watching.containsKey(other);
    }

    /** The notice is being handled. */
    void endWatch(Cell other) {
        watching.remove(other);
    }

    /** By the turn of the one of them. */
    @Override
    public void link(Cell one, Cell other) {
        var link = new Link(one, other);
        of(one).list(link);
        of(other).add(link, other);
    }

    @Override
    public void unlink(Cell one, Cell other) {
        var link = new Link(one, other);
        of(one).forget(link);
        of(other).forget(link);
    }

    // ---- Pauses. ----

    /** The turn has left the actor; another one goes on after a while, or as soon as the actor is to stop. */
    @Override
    public void pause(Cell cell, Turn rest, long nanos) {
        var mine = new RestartPause(cell, rest);
        pause = mine;
        Interleave.here();
        // mutant: pause-begins-after-a-request-to-exit
        if (nanos <= 0 || cell.extendedState().isToEnd()) {
            endPause();
            return;
        }
        mine.timer = cell.spec().scope().time().schedule(nanos, () -> {
            Interleave.here();
            if (PAUSE.compareAndSet(this, mine, (RestartPause) null)) {
                mine.goOn();
            }
        });
        Interleave.here();
        if (pause != mine) {
            mine.cancelTimer();
        }
    }

    /** Whether the actor pauses before a restart, and the timer that ends the pause is set. By any thread. */
    @Override
    public boolean isPausing() {
        var mine = pause;
        return mine != null && mine.timer != null;
    }

    /** Ends the pause, if there is one. By any thread. */
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
