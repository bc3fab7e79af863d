package io.fibry.internal.actor;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A behaviour that hands each message over to another actor, which gives the answer. A class and not an interface, since
 * each ask looks whether the asked actor has one.
 */
public abstract class ForwardingBehavior implements Behavior {
    /** Hands an ask over. */
    public abstract void forward(Object message, Answer<@Nullable Object> answer);

    /** Hands code over; {@code answer} is null if nobody waits for it. */
    public abstract void forward(Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer);
}
