package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.limit.Budget;
import io.fibry.internal.run.Runner;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The actor whose turn runs on the calling thread. Turns nest where one runs on the stack of another actor;
 * the innermost is the current one.
 */
public final class Current {
    private Current() {
    }

    public static @Nullable Runner runner() {
        return Runner.current();
    }

    public static @Nullable Turn turn() {
        return (Turn) Runner.currentJob();
    }

    /** Returns the innermost turn of a runner, if it has one. There is no other kind of job. */
    public static @Nullable Turn turnOn(Runner runner) {
        return (Turn) runner.job;
    }

    /**
     * Returns the innermost turn of a runner, which the calling thread runs; null if there is none, or if its
     * actor has gone on without the thread.
     */
    public static @Nullable Turn turnOf(@Nullable Runner runner) {
        var turn = runner == null ? null : turnOn(runner);
        return turn == null || turn.isGone() ? null : turn;
    }

    /**
     * Returns the name of the actor whose code the calling thread runs; null if it runs none. The name is for
     * reports: a thread without which its actor has gone on still counts as a thread of that actor.
     *
     * @return the name
     */
    public static @Nullable String actor() {
        return Runner.currentName();
    }

    /** Runs code that belongs to an actor on a thread that does not run its turn. */
    public static void runInside(Cell cell, Runnable code) {
        var inside = new Turn(cell, new StopNode(Reason.EXIT));
        var runner = runner();
        if (runner == null) {
            var lent = new Runner(Thread.currentThread());
            lent.adopt();
            try {
                runAs(inside, lent, code);
            } finally {
                Runner.leave();
                lent.end();
            }
        } else {
            runAs(inside, runner, code);
        }
    }

    private static void runAs(Turn inside, Runner runner, Runnable code) {
        var below = turnOn(runner);
        var edge = below == null ? null : below.cell.waiting();
        inside.visit(runner, below);
        runner.job = inside;
        try {
            runNamed(inside.cell, code);
        } finally {
            runner.job = below;
            if (below != null && !below.isGuest() && below.cell.waiting() != edge) {
                below.cell.extendedState().waiting = edge; // the code has waited, and held up the actor below
            }
        }
    }

    private static void runNamed(Cell cell, Runnable code) {
        if (!LogContext.names(cell.spec.namesInLog)) {
            code.run();
            return;
        }
        var callers = LogContext.putAside();
        try {
            LogContext.name(cell.name());
            code.run();
        } finally {
            LogContext.restore(callers);
        }
    }

    /** Returns which of two actors is further down on the stack. The calling code runs inside both. */
    public static Cell outermost(Cell one, @Nullable Cell other) {
        if (other == null) {
            return one;
        }
        var lowest = other;
        for (var turn = turn(); turn != null; turn = turn.heldBelow()) {
            if (turn.cell == one || turn.cell == other) {
                lowest = turn.cell;
            }
        }
        return lowest;
    }

    /**
     * Returns whether the calling code runs inside this actor, or inside one of its descendants. The calling
     * code then cannot wait for this actor.
     */
    public static boolean isWithin(Cell cell) {
        var within = new Within(cell);
        for (var turn = turn(); turn != null; turn = turn.heldBelow()) {
            if (within.test(turn.cell)) {
                return true;
            }
        }
        return false;
    }

    /** Tests whether an actor is a given one or a descendant of it. */
    private record Within(Cell cell) implements Predicate<Cell> {
        @Override
        public boolean test(Cell inner) {
            for (var one = inner; one != null; one = one.spec.parent) {
                if (one == cell) {
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * Returns whether the calling code runs inside an actor that counts for this budget, or that works for
     * one that does.
     */
    public static boolean isWithin(Budget budget) {
        for (var turn = turn(); turn != null; turn = turn.heldBelow()) {
            if (turn.cell.spec.scope.isWithin(budget)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the calling code runs inside this actor. */
    public static boolean isInside(Cell cell) {
        for (var turn = turn(); turn != null; turn = turn.heldBelow()) {
            if (turn.cell == cell) {
                return true;
            }
        }
        return false;
    }
}
