package io.fibry.internal.abandon;

import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.actor.WrongSetting;

/**
 * The limits after which an actor goes on without a handler that does not end.
 *
 * @param nanos how long a handler may work on one message before it is interrupted
 * @param graceNanos how long after the interrupt the handler is abandoned
 */
public record StuckLimit(long nanos, long graceNanos) implements Layer {
    @Override
    public String setting() {
        return "abandonStuck";
    }

    /** A turn that waits for another thread must not hold up the actor below it. */
    @Override
    public boolean mayRunOnTop() {
        return false;
    }

    @Override
    public Behavior around(ActorSpec spec, Behavior inner) {
        return new StandInBehavior(spec, this, inner);
    }

    /** Throws {@link IllegalStateException} if actors of this specification cannot abandon a handler. */
    @Override
    public void check(ActorSpec spec) {
        if (spec.placement().mayRunInPlace()) {
            throw cannot(spec, "its strategy is " + spec.strategy()
                    + ", and the library cannot give up its threads; use fibers(), threads() or pool(n)");
        }
        if (spec.runByCallers()) {
            throw cannot(spec,
                    "it is made with runByCallers(), and a caller's thread cannot be given up; leave one of them out");
        }
        if (spec.receiving()) {
            throw cannot(spec, "it receives messages itself, or is a body, which may run for ever;"
                    + " use a handler, or receive with a time limit");
        }
    }

    private IllegalStateException cannot(ActorSpec spec, String why) {
        return WrongSetting.ofActor(spec, setting(), why);
    }
}
