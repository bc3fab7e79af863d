package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.limit.Budget;
import io.fibry.internal.run.Runner;
import org.jspecify.annotations.Nullable;

/**
 * Which actor's turn runs on this thread. Turns nest where one runs on another actor's stack; the innermost
 * is the current one.
 */
public final class Current {
    private Current() {
    }

    public static @Nullable Runner strand() {
        return Runner.current();
    }

    public static @Nullable Turn turn() {
        return (Turn) Runner.currentJob();
    }

    /** The innermost turn of a strand, if it has one. There is no other kind of job. */
    public static @Nullable Turn turnOn(Runner strand) {
        return (Turn) strand.job;
    }

    /** The innermost turn of a thread, which is the caller's; null if there is none, or its actor has gone on without it. */
    static @Nullable Turn turnOf(@Nullable Runner strand) {
        var turn = strand == null ? null : turnOn(strand);
        return turn == null || turn.isGone() ? null : turn;
    }

    /**
     * The name of the actor whose code the calling thread runs; null if it runs none. An actor that has gone on without
     * its thread is still the one that this thread was of: the name is for reports.
     *
     * @return the name
     */
    public static @Nullable String actor() {
        return Runner.currentName();
    }

    /** Runs code that belongs to an actor on a thread that does not run its turn. */
    public static void runInside(Cell cell, Runnable code) {
        var inside = new Turn(cell, new StopNode(Reason.EXIT));
        var strand = strand();
        if (strand == null) {
            var lent = new Runner(Thread.currentThread());
            lent.adopt();
            try {
                runAs(inside, lent, code);
            } finally {
                Runner.leave();
                lent.end();
            }
        } else {
            runAs(inside, strand, code);
        }
    }

    private static void runAs(Turn inside, Runner strand, Runnable code) {
        var below = turnOn(strand);
        var edge = below == null ? null : below.cell.waiting();
        inside.visit(strand);
        inside.outer = below;
        strand.job = inside;
        try {
            runNamed(inside.cell, code);
        } finally {
            strand.job = below;
            if (below != null && !below.isGuest() && below.cell.waiting() != edge) {
                below.cell.extendedState().waiting = edge; // the code has waited, and held it up
            }
        }
    }

    private static void runNamed(Cell cell, Runnable code) {
        if (!LogContext.names(cell.spec().namesInLog())) {
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

    /** Of two actors that the calling code runs inside of, the one that is further down on the stack. */
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

    /** Whether the calling code runs inside this actor or one of its children, or theirs: it then cannot be waited for. */
    public static boolean isWithin(Cell cell) {
        for (var turn = turn(); turn != null; turn = turn.heldBelow()) {
            for (var one = turn.cell; one != null; one = one.spec().parent()) {
                if (one == cell) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether the calling code runs inside an actor that counts for this budget, or works for one that does. */
    static boolean isWithin(Budget budget) {
        for (var turn = turn(); turn != null; turn = turn.heldBelow()) {
            if (turn.cell.spec().scope().isWithin(budget)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the calling code runs inside this actor. */
    public static boolean isInside(Cell cell) {
        for (var turn = turn(); turn != null; turn = turn.heldBelow()) {
            if (turn.cell == cell) {
                return true;
            }
        }
        return false;
    }
}
