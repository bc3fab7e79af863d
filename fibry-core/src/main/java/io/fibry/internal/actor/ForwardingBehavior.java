package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A behavior that passes each message on to another actor, which gives the answer. This is a class and not
 * an interface, since each ask tests whether the asked actor has such a behavior.
 */
public abstract class ForwardingBehavior implements Behavior {
    /** Passes an ask on. */
    public abstract void forward(Turn turn, Object message, Answer<@Nullable Object> answer);

    /** Passes a message on that was told and whose fate is followed. */
    public abstract void forward(Turn turn, Object message, FateAnswer fate);

    /** Passes code on; {@code answer} is null if nothing waits for it. */
    public abstract void forward(Turn turn, Callable<? extends @Nullable Object> code,
            @Nullable Answer<@Nullable Object> answer);

    /** Returns what a message takes along that the turn passes on: where it was sent from stays the same. */
    protected static @Nullable Carried passedOn(Turn turn) {
        var spec = turn.cell.spec;
        return spec.carriers == null ? null : spec.capture(turn.extendedState().sentFrom);
    }
}
