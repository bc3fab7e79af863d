package io.fibry.internal;

import io.fibry.ReceivingBody;
import io.fibry.event.Failed;
import io.fibry.event.Stopped.Reason;
import java.util.Optional;

/** The body of an actor whose whole life is one piece of code: its first node, and the last it handles. */
final class BodyNode extends Node {
    private final ReceivingBody<?> body;
    private final boolean receives;

    /** A body; {@code receives} if it may wait for messages, which its maker could then not send. */
    BodyNode(ReceivingBody<?> body, boolean receives) {
        this.body = body;
        this.receives = receives;
    }

    boolean receives() {
        return receives;
    }

    @Override
    boolean isControl() {
        return true;
    }

    /** An actor whose body cannot run has nothing to live for. */
    @Override
    void refused(Turn turn, Throwable why) {
        turn.cell.exit(Reason.FAILURE);
        turn.skipped();
        turn.cell.report(new Failed(turn.cell.name(), Optional.empty(), why));
    }

    @Override
    @SuppressWarnings("unchecked") // the body takes only messages that were sent to this actor
    void handle(Turn turn) {
        var context = Receiving.inside(turn);
        var failure = Optional.<Throwable>empty();
        try {
            ((ReceivingBody<Object>) body).run(context);
        } catch (Throwable thrown) {
            failure = Optional.of(thrown).filter(t -> !turn.endsByExit(t));
        }
        context.inbox().settle(turn, failure);
        turn.cell.exit(failure.isPresent() ? Reason.FAILURE
                : context.inbox().isAtPill() ? Reason.POISON_PILL : Reason.EXIT);
        turn.skipped();
        failure.ifPresent(t -> turn.cell.report(
                new Failed(turn.cell.name(), Optional.empty(), t)));
    }
}
