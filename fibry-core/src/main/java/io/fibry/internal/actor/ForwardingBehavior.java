package io.fibry.internal.actor;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A behaviour that passes each message on to another actor, which gives the answer. This is a class and not
 * an interface, since each ask tests whether the asked actor has such a behaviour.
 */
public abstract class ForwardingBehavior implements Behavior {
    /** Passes an ask on. */
    public abstract void forward(Object message, Answer<@Nullable Object> answer);

    /** Passes a message on that was told and whose fate is followed. */
    public abstract void forward(Object message, FateAnswer fate);

    /** Passes code on; {@code answer} is null if nothing waits for it. */
    public abstract void forward(Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer);
}
