package io.fibry.internal.actor;

import io.fibry.CreationStrategy;
import io.fibry.internal.run.LimitedStrategy;
import io.fibry.internal.run.Strategies;

/** What actors have to be like to have their own stack. */
final class OwnStack {
    private OwnStack() {
    }

    /** Throws if the actor is to have its own stack and to run on those of others. */
    static void check(ActorSpec spec) {
        if (!spec.ownStack) {
            return;
        }
        var onOthers = isOnCallers(spec.strategy())
                ? "runs on its senders' threads (its strategy is " + spec.strategy()
                        + "); use another strategy"
                : spec.runByCallers() ? "is to be run by its callers; leave out runByCallers()" : "";
        if (!onOthers.isEmpty()) {
            throw WrongSetting.ofActor(spec, "ownStack", "it " + onOthers);
        }
    }

    private static boolean isOnCallers(CreationStrategy strategy) {
        return strategy instanceof LimitedStrategy limited
                ? isOnCallers(limited.base())
                : strategy.equals(Strategies.CALLER);
    }
}
