package io.fibry.internal.abandon;

import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.BehaviorWrapper;

/**
 * The limits after which an actor goes on without a handler that does not end.
 *
 * @param nanos how long a handler may work on one message before it is interrupted
 * @param graceNanos how long after the interrupt the handler is abandoned
 */
public record StuckLimit(long nanos, long graceNanos) implements BehaviorWrapper {
    @Override
    public Behavior wrap(ActorSpec spec, Behavior inner) {
        return new StandInBehavior(spec, this, inner);
    }

    /** Throws {@link IllegalStateException} if actors of this specification cannot abandon a handler. */
    @Override
    public void check(ActorSpec spec) {
        if (spec.placement().mayRunInPlace()) {
            throw cannot(spec, "whose strategy is " + spec.strategy()
                    + ": the library cannot give up its threads; use fibers(), threads() or pool(n)");
        }
        if (spec.runByCallers()) {
            throw cannot(spec,
                    "that is made with runByCallers(): a caller's thread cannot be given up; leave one of them out");
        }
        if (spec.receiving()) {
            throw cannot(spec, "that receives messages itself, or is a body, which may run for ever;"
                    + " use a handler, or receive with a time limit");
        }
    }

    /**
     * Throws {@link IllegalStateException} if the specification has such limits, since what is to be made is no
     * plain actor.
     */
    public static void refuse(ActorSpec spec, String what, String remedy) {
        if (spec.wrapper() instanceof StuckLimit) {
            throw cannot(spec, "that is " + what + ": " + remedy);
        }
    }

    private static IllegalStateException cannot(ActorSpec spec, String why) {
        var name = spec.name();
        return new IllegalStateException("abandonStuck cannot be had by an actor"
                + (name == null ? " " : " named '" + name + "' ") + why);
    }
}
