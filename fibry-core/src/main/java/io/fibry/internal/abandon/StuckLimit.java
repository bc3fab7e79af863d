package io.fibry.internal.abandon;

import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.BehaviorWrapper;
import io.fibry.internal.actor.WrongSetting;

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

    /**
     * Throws {@link IllegalStateException} if the specification has such limits, since what is to be made is no
     * plain actor.
     */
    public static void refuse(ActorSpec spec, String what, String remedy) {
        if (spec.wrapper() instanceof StuckLimit) {
            throw WrongSetting.of(spec, what, "abandonStuck", remedy);
        }
    }

    private static IllegalStateException cannot(ActorSpec spec, String why) {
        return WrongSetting.ofActor(spec, "abandonStuck", why);
    }
}
