package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.report.Fates;
import io.fibry.message.MessageFate;
import org.jspecify.annotations.Nullable;

/**
 * The future of the fate of a message that was told. It travels in the {@link Parcel} of the message, and the code
 * that counts the fate of the message completes it. It is an answer of the actor, so a thread that waits for it is seen
 * in a cycle; but cancelling it does nothing to the message.
 */
public final class FateAnswer extends Answer<MessageFate> {
    private static final MessageFate HANDLED = new MessageFate.Handled();
    private static final MessageFate EXPIRED = new MessageFate.Expired();

    public FateAnswer(Cell target) {
        super(target);
    }

    public void handled() {
        // mutant: handled-message-has-no-fate
        succeed(HANDLED);
    }

    void expired() {
        succeed(EXPIRED);
    }

    public void failed(Throwable cause) {
        succeed(new MessageFate.Failed(cause));
    }

    void lost(Cell cell, Object message, Cause cause, @Nullable Throwable why) {
        var text = Losses.exception(cell, message, cause, why);
        var kind = Losses.fate(cause);
        // mutant: lost-message-has-no-fate
        succeed(kind == Fates.Kind.DROPPED ? new MessageFate.Dropped(cause, text)
                : kind == Fates.Kind.UNDELIVERED ? new MessageFate.Undelivered(cause, text)
                : new MessageFate.Refused(cause, text));
    }

    /** Lets the behavior of an actor handle the content of a message. The places are given back before the fate is known. */
    void handle(Turn turn, MessageNode message, Object content) {
        Object result;
        try {
            result = handle(turn, content);
        } catch (Throwable failure) {
            var thrown = WrongType.named(turn.cell, content.getClass(), failure);
            var isExit = turn.endsByExit(thrown);
            try {
                turn.failed(content, thrown);
            } finally {
                message.giveBackPlaces();
                if (isExit) {
                    handled();
                } else {
                    failed(thrown);
                }
            }
            return;
        }
        if (result instanceof Feature keeper) {
            keeper.keep(turn, message.moved(content));
            return;
        }
        turn.handled();
        if (!(turn.behavior instanceof ForwardingBehavior)) {
            message.giveBackPlaces();
            handled();
        }
    }

    private @Nullable Object handle(Turn turn, Object message) throws Exception {
        if (turn.behavior instanceof ForwardingBehavior workers) {
            workers.forward(turn, message, this);
            return null;
        }
        return turn.behavior.handle(turn, message);
    }

    @Override
    public boolean mayFail() {
        return false;
    }

    /** Does nothing: the message is handled even if this thread cannot wait for its fate. */
    @Override
    public void failAsk(AskCycleException cycle) {
    }

    @Override
    public void cancelled() {
        // The message goes on.
    }

    @Override
    public String details() {
        return "the message has no fate yet; the actor is " + target().state()
                + target().spec.scope.details().doing(target());
    }
}
