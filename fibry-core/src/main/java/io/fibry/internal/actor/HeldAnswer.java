package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Runner;
import org.jspecify.annotations.Nullable;

/** The future of the code that runs while several actors are held. */
final class HeldAnswer<T extends @Nullable Object> extends Answer<T> {
    /** The holding; null when it is over and this answer is complete. */
    private volatile @Nullable Holding<T> holding;

    HeldAnswer(Cell first) {
        super(first);
    }

    /** Called once, by the holding, before any other thread has this answer. */
    void belongTo(Holding<T> mine) {
        holding = mine;
    }

    /** Returns the actor for which the holding waits now, or in which its code runs. */
    @Override
    public Cell target() {
        var mine = holding;
        return mine == null ? super.target() : mine.awaited();
    }

    @Override
    void requireWaitable() {
        var turn = Current.turn();
        var mine = holding;
        if (turn != null && mine != null && !isDone() && !mine.isOver() && mine.concerns()) {
            var cycle = new AskCycleException("actor '" + turn.cell.name()
                    + "' would wait for code for which it has to be held itself; use execFuture and do not wait for"
                    + " the future in a handler of one of the actors, or wait outside the actors");
            failAsk(cycle);
            throw cycle;
        }
    }

    @Override
    boolean mayRunOnTop() {
        return false;
    }

    @Override
    void runTarget(@Nullable Runner runner) {
        Parking.letGo();
    }

    @Override
    void settled() {
        var mine = holding;
        if (mine != null) {
            mine.giveUp();
            if (mine.isOver()) {
                holding = null; // so this future keeps neither the code nor the actors
            }
        }
    }

    @Override
    void cancelled() {
        var mine = holding;
        if (mine != null) {
            mine.cancelStep();
        }
    }

    @Override
    String details() {
        var mine = holding;
        return mine == null ? "it is over" : mine.details();
    }
}
