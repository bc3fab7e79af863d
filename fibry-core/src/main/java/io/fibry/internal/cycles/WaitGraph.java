package io.fibry.internal.cycles;

import io.fibry.AskCycleException;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Services.CycleSearch;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.actor.Supervision.Inheritance;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds cycles of actors that wait for each other, without a lock.
 *
 * <p>An actor first publishes its own edge ({@code extendedState.waiting}), then follows the edges from its
 * target. Writes and reads of edges are in one total order (volatile), so among the actors that close a cycle
 * together, the one that publishes last sees all edges. Edges that were read one after another need not have
 * existed at the same time. The cycle is real only if a second look finds the very same edges, and none of
 * them over. In a real cycle nothing moves, so the second look never misses one.
 *
 * <p>Several actors that close one cycle at the same time may all see it. If all of them were refused, one could go on
 * and handle a message whose asker is just about to be told that it will not be handled. So an actor is refused under a lock:
 * it looks once more there, and removes its edge before it releases the lock. The next actor then finds no cycle, and waits.
 * While the first one fails its ask, the other actors of the cycle still wait, so none of them handles the message. The only
 * code of users under the lock is that which tells who serves a shared mailbox. An actor that closes no cycle never takes it.
 */
public final class WaitGraph {
    /** Longer chains are not followed: no program waits through that many actors on purpose. */
    private static final int MAX_LENGTH = 10_000;

    /**
     * Held for one search, and never by an actor that closes no cycle. Only {@code servedBy} runs user code
     * below it, which must not wait.
     */
    private static final ReentrantLock REFUSALS = new ReentrantLock();

    private WaitGraph() {
    }

    /** The graph as the kernel sees it. */
    public record ForKernel() implements CycleSearch {
        @Override
        public void begin(Answer<?> answer) {
            WaitGraph.begin(answer);
        }

        @Override
        public void end() {
            leave();
        }

        @Override
        public void leftToSuccessor(Cell dead, Inheritance mail) {
            WaitGraph.leftToSuccessor(dead, mail);
        }
    }

    /** Begins a wait of the calling thread for an answer; fails the ask and throws if that closes a cycle. */
    static void begin(Answer<?> answer) {
        answer.requireWaitable();
        try {
            enter(answer);
        } catch (AskCycleException e) {
            answer.failAsk(e);
            throw e;
        }
    }

    /** Publishes that the current actor, if any, waits; throws if that closes a cycle. */
    public static void enter(Waiting edge) {
        var runner = Current.runner();
        var turn = Current.turnOf(runner);
        if (turn == null) {
            if (runner instanceof StandIn mine && edge instanceof Answer) {
                mine.requireHeld();
            }
            return;
        }
        var standIn = turn.standIn();
        if (standIn == null) {
            publish(turn, edge);
        } else {
            standIn.beginInside();
            try {
                publish(turn, edge);
            } finally {
                standIn.endInside();
            }
        }
        if (runner instanceof StandIn mine) {
            mine.beginWait();
        }
    }

    static void publish(Turn turn, Waiting edge) {
        setEdge(turn, edge);
        var waits = false;
        try {
            if (find(turn, edge).isPresent()) {
                StackReserve.require(); // the lock is to be released
                refuseIfFirst(turn, edge);
            }
            waits = true;
        } catch (AskCycleException refused) {
            var cell = turn.cell;
            cell.spec.scope.events().askCycle(cell.name(), cell.behavior.handlerClass(),
                    String.valueOf(refused.getMessage()));
            throw refused;
        } finally {
            if (!waits) { // also if there is too little stack to describe the cycle
                setEdge(turn, null);
            }
        }
    }

    private static void setEdge(Turn turn, @Nullable Waiting edge) {
        var standIn = turn.standIn();
        if (standIn == null) {
            turn.cell.extendedState().waiting = edge;
        } else {
            standIn.waits(turn.cell, edge);
        }
    }

    /** Throws unless another actor of the cycle was refused in the meantime. */
    private static void refuseIfFirst(Turn turn, Waiting edge) {
        assert Interleave.here();
        REFUSALS.lock();
        try {
            // mutant: cycle-is-refused-at-several-actors
            var cycle = unlessOneGivesWay(turn.cell, edge);
            if (cycle.isPresent()) {
                setEdge(turn, null);
                throw cycle.get().refusal();
            }
        } finally {
            REFUSALS.unlock();
        }
    }

    /**
     * Returns whether the current actor's edge closes a cycle in which no other wait gives way. The edge is published before.
     */
    public static boolean closesCycle(Waiting edge) {
        var turn = Current.turn();
        return turn != null && find(turn, edge).isPresent();
    }

    /**
     * Publishes that an actor waits for another one which it stops. If that closes a cycle, an ask in the cycle fails,
     * so that the other actor can end. Returns false if there is a cycle without an ask that can fail. The waiting actor clears
     * its edge afterwards.
     */
    public static boolean enterToStop(Cell waiter, Waiting edge) {
        waiter.extendedState().waiting = edge;
        var turn = Current.turn();
        if (turn != null) {
            turn.holdUpAllBelow();
        }
        return endCycles(waiter, edge);
    }

    /**
     * Looks for a cycle through an actor that has ended, whose messages its successor is to get, and ends it. The actor that
     * starts the successor may be waiting for the end of an actor that waits for one of these messages.
     */
    static void leftToSuccessor(Cell dead, Inheritance mail) {
        assert Interleave.here();
        if (!endCycles(dead, mail) && mail.target().waiting() instanceof EndEdge stop) {
            stop.target().force();
        }
    }

    /**
     * Fails asks until the edge is in no cycle any more. No actor of such a cycle can be refused, since the one that
     * has closed it stops another actor, or has ended. Returns false if there is a cycle without an ask that can fail.
     */
    private static boolean endCycles(Cell self, Waiting edge) {
        while (true) {
            assert Interleave.here();
            if (unlessOneGivesWay(self, edge).isEmpty()) {
                return true;
            }
            StackReserve.require(); // the lock is to be released
            RefusedAsk refused;
            REFUSALS.lock();
            try {
                var cycle = unlessOneGivesWay(self, edge);
                if (cycle.isEmpty()) {
                    return true;
                }
                refused = RefusedAsk.take(edge, cycle.get());
            } finally {
                REFUSALS.unlock();
            }
            if (refused == null) {
                return false;
            }
            refused.fail();
        }
    }

    private static Optional<WaitCycle> find(Turn turn, Waiting edge) {
        // mutant: actor-below-is-not-held-up
        turn.holdUpAllBelow();
        assert Interleave.here();
        return unlessOneGivesWay(turn.cell, edge);
    }

    /** Returns the cycle that an edge closes, unless another wait in it can give way: then that ends, and this one goes on. */
    private static Optional<WaitCycle> unlessOneGivesWay(Cell self, Waiting edge) {
        while (true) {
            var cycle = cycle(self, edge);
            // mutant: ask-fails-in-the-place-of-a-hold
            if (cycle.isEmpty() || edge.mayGiveWay() || !cycle.get().givesWay()) {
                return cycle;
            }
        }
    }

    /** Removes the edge of the current actor. */
    public static void leave() {
        var runner = Current.runner();
        var turn = Current.turnOf(runner);
        if (turn == null) {
            return;
        }
        var standIn = turn.standIn();
        if (standIn == null) {
            turn.cell.extendedState().clearEdge();
        } else if (standIn.beginInsideIfHeld()) {
            standIn.waits(turn.cell, null);
            standIn.endInside();
        }
        if (runner instanceof StandIn mine) {
            mine.endWait();
        }
    }

    /** Follows the edges from this one. */
    private static Optional<WaitCycle> cycle(Cell self, Waiting edge) {
        var path = new ArrayList<Waiting>();
        var isServed = false;
        var target = self;
        @Nullable Waiting deferred = null;
        @Nullable Waiting step = edge;
        while (step != null) {
            path.add(step);
            target = step.target();
            step = null;
            // mutant: cycles-are-not-looked-for
            if (target == self) {
                // mutant: cycle-is-not-looked-at-again
                if (isClosed(path) && stillThere(path)) {
                    return Optional.of(new WaitCycle(self, List.copyOf(path), describe(self, path)));
                }
            } else if (path.size() >= MAX_LENGTH) {
                return Optional.empty();
            } else {
                assert Interleave.here();
                isServed |= target instanceof Served;
                var next = target.waiting();
                if (next != null && isStillWaiting(next)) {
                    step = next;
                } else {
                    step = successorOf(path.get(path.size() - 1));
                    deferred = step == null ? next : null; // or over
                }
            }
        }
        if (target != self) {
            RemoteWait.note(self, path, target, deferred);
        }
        // mutant: cycles-through-a-pool-are-not-looked-for
        return isServed ? ServedCycle.find(self, edge) : Optional.empty();
    }

    /**
     * Returns what a message waits for whose actor has ended: the start of the successor that gets the message; null if
     * it waits for none.
     */
    static @Nullable Waiting successorOf(Waiting edge) {
        var target = edge.target();
        var mail = target.spec.inheritance;
        // mutant: wait-for-a-successor-is-no-edge
        return edge instanceof Answer<?> answer && answer.origin().isOfMessage() && mail != null
                && target.isStopping() && isStillWaiting(mail) ? mail : null;
    }

    /** Returns whether a path ends where it begins: at an actor, or at its messages if these are left to a successor. */
    private static boolean isClosed(List<Waiting> path) {
        var first = path.get(0);
        return !(first instanceof Inheritance) || successorOf(path.get(path.size() - 1)) == first;
    }

    static boolean stillThere(List<Waiting> path) {
        for (int i = 0; i < path.size(); i++) {
            var edge = path.get(i);
            if (!isStillWaiting(edge) || (i + 1 < path.size() && !has(edge.target(), path.get(i + 1)))) {
                return false;
            }
        }
        return true;
    }

    static boolean has(Cell cell, Waiting edge) {
        return cell.waiting() == edge || (edge == cell.spec.inheritance && cell.isStopping());
    }

    /**
     * Returns whether the edge still counts. A waiter that was answered, or has given up, may not yet have
     * removed its edge.
     */
    private static boolean isStillWaiting(Waiting edge) {
        // mutant: wait-that-is-over-stays-an-edge
        return edge.dependsOnTarget();
    }

    private static String describe(Cell self, List<Waiting> path) {
        var names = new StringBuilder();
        for (var edge : path) {
            names.append(" -> '").append(edge.target().name()).append('\'');
            if (edge instanceof Inheritance) {
                names.append(" (which starts the successor)");
            }
        }
        return "actor '" + self.name() + "' would wait for itself: '" + self.name() + "'" + names
                + "; use sendMessage instead of waiting, or wait outside the actor";
    }
}
