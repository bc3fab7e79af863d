package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Runner;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The future of the code that runs while several actors are held. */
final class HeldAnswer<T extends @Nullable Object> extends Answer<T> {
    private @Nullable Holding<T> holding;

    HeldAnswer(Cell first) {
        super(first);
    }

    /** Called once, by the holding, before any other thread has this answer. */
    void belongTo(Holding<T> mine) {
        holding = mine;
    }

    private Holding<T> holding() {
        return Objects.requireNonNull(holding);
    }

    /** Returns the actor for which the holding waits now, or in which its code runs. */
    @Override
    public Cell target() {
        return holding().awaited();
    }

    @Override
    void requireWaitable() {
        var turn = Current.turn();
        if (turn != null && !isDone() && holding().concerns(turn)) {
            throw new AskCycleException("actor '" + turn.cell.name()
                    + "' would wait for code for which it has to be held itself; use execFuture and do not wait for"
                    + " the future in a handler of one of the actors, or wait outside the actors");
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
        holding().giveUp();
    }

    @Override
    void cancelled() {
        holding().cancelStep();
    }

    @Override
    String details() {
        return holding().details();
    }
}
