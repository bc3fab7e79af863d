package io.fibry.internal.mailbox;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.layer.ReceivingLayer;
import io.fibry.internal.scope.Builder;
import io.fibry.time.ManualTime;

/** Makes actors without admitting them anywhere: cheap enough for one per shot of a test. */
public final class Cells {
    /**
     * Its listener keeps what is reported out of the log. Its clock stands still. With a running clock, a turn
     * whose thread loses its processor for a millisecond would use up its budget, and continue on a fiber after the
     * senders are done.
     */
    private static final ActorScope SCOPE = ActorSystem.configure("stress").time(new ManualTime()).open();

    static {
        SCOPE.listen(event -> {
        });
    }

    /** Turns run on the sender's thread, so all is done when the senders are. */
    private static final ActorSpec CALLER =
            ((Builder) SCOPE.anonymous().strategy(CreationStrategy.caller())).spec();

    private Cells() {
    }

    public static UnboundedCell<Object, Object> unbounded(Behavior behavior) {
        return new UnboundedCell<>(CALLER, behavior);
    }

    /** One whose handler does nothing, or whose turns the test never starts. */
    public static UnboundedCell<Object, Object> unbounded() {
        return unbounded((turn, message) -> message);
    }

    static UnboundedCell<Object, Object> receiving(Behavior behavior) {
        return new UnboundedCell<>(CALLER.sameWith(ReceivingLayer.INSTANCE), behavior);
    }

    static BoundedCell<Object, Object> bounded(int capacity, OverflowPolicy overflow, Behavior behavior) {
        var policy = new MailboxPolicy.Bounded(capacity, overflow, capacity);
        return new BoundedCell<>(CALLER.with(policy), behavior, policy);
    }

    static BoundedCell<Object, Object> bounded(int capacity, OverflowPolicy overflow) {
        return bounded(capacity, overflow, (turn, message) -> message);
    }
}
