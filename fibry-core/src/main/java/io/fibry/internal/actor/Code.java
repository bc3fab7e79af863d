package io.fibry.internal.actor;

import io.fibry.internal.actor.Turn.NoMessage;
import io.fibry.internal.report.ShownAs;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Code that runs inside an actor: what a message holds in the place of a user's object. */
public final class Code extends Wrapped {
    private final Callable<? extends @Nullable Object> task;

    public Code(Callable<? extends @Nullable Object> task) {
        this.task = task;
    }

    @Override
    void handle(Turn turn, MessageNode message) {
        var forwards = turn.behavior instanceof ForwardingBehavior;
        var mine = message instanceof AskNode ask ? ask.answer() : null;
        if (message instanceof AskNode
                && (mine == null || mine.isOver() || (!forwards && !mine.start(turn.cell)))) {
            turn.expired();
            return;
        }
        Object result;
        try {
            if (turn.behavior instanceof ForwardingBehavior workers) {
                workers.forward(turn, task, mine);
                turn.handled();
                return;
            }
            var around = NoMessage.begin(turn);
            try {
                result = turn.behavior.call(turn, task, content());
            } finally {
                NoMessage.end(turn, around);
            }
        } catch (Throwable failure) {
            failed(turn, message, mine, failure);
            return;
        }
        if (mine == null) {
            turn.handled();
        } else {
            message.giveBackPlaces(); // before the answer, since the thread that gets it may ask again at once
            turn.answered(mine, result);
        }
    }

    private void failed(Turn turn, MessageNode message, @Nullable Answer<@Nullable Object> mine,
            Throwable failure) {
        if (mine == null) {
            turn.failed(content(), failure);
        } else {
            message.giveBackPlaces();
            turn.askFailed(mine, content(), failure);
        }
    }

    /** Fails the code: it cannot run in the middle of a body, and no later time is better. */
    public void failInBody(Turn turn, MessageNode message) {
        var mine = message instanceof AskNode ask ? ask.answer() : null;
        if (message instanceof AskNode && (mine == null || mine.isOver())) {
            turn.expired();
            return;
        }
        failed(turn, message, mine, new IllegalStateException("code that was given to actor '"
                + turn.cell.name()
                + "' cannot run in its body, where something is bound that its sender had not (a ScopedValue, say):"
                + " make the actor where that is not bound, or receive outside of the block that binds it"));
    }

    /** Returns whether the sender of the code holds the actor, and does not wait for the successor of the actor. */
    boolean isHeldFor() {
        return task instanceof ShownAs shown && shown.code() instanceof HeldCode;
    }

    @Override
    public Object content() {
        return ShownAs.codeOf(task);
    }

    @Override
    Code code() {
        return this;
    }

    /** Code that runs inside an actor and whose sender holds the actor meanwhile. */
    public interface HeldCode {
        /** Returns whether the code runs. Called by any thread. */
        boolean hasBegun();

        /** Returns whether the code was interrupted for its sender. Called by any thread. */
        boolean isInterrupted();
    }
}
