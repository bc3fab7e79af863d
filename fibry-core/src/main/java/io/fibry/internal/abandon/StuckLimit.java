package io.fibry.internal.abandon;

import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.BehaviorWrapper;

/**
 * When an actor goes on without a handler that does not end.
 *
 * @param nanos how long it may work on one message before it is interrupted
 * @param graceNanos how long after that it is given up
 */
public record StuckLimit(long nanos, long graceNanos) implements BehaviorWrapper {
    @Override
    public Behavior wrap(ActorSpec spec, Behavior inner) {
        return new StandInBehavior(spec, this, inner);
    }

    /** Throws if actors of that kind cannot leave a handler behind. */
    @Override
    public void check(ActorSpec spec) {
        if (spec.placement().mayRunInPlace()) {
            throw cannot(spec, "whose strategy is " + spec.strategy()
                    + ": its threads are not ours to give up; use fibers(), threads() or pool(n)");
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

    /** Throws, since what is to be made is no plain actor. */
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
