package io.fibry.internal.signal;

import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;

/**
 * The first node of an actor. It stands where the node taken last would be, so the nodes that are sent come after it, and
 * it keeps the mailbox busy while the actor is made. The maker of the actor removes it again, or starts a turn with it.
 */
public class OpeningNode extends Signal {
    private final boolean begins;

    public OpeningNode() {
        this(false);
    }

    private OpeningNode(boolean begins) {
        this.begins = begins;
    }

    /** Returns a node that makes the handler of a new actor, inside the actor and before its first message. */
    public static OpeningNode thatBegins() {
        return new OpeningNode(true);
    }

    @Override
    public void run(Turn turn) {
        turn.skipped();
        if (begins) {
            try {
                turn.behavior.begin(turn);
            } catch (Throwable failure) {
                turn.startFailed(failure);
            }
        }
    }

    /** Reports the refusal as a failed start; the first message then tries again to make the handler. */
    @Override
    public void refused(Turn turn, Throwable why) {
        turn.skipped();
        if (begins) {
            turn.startFailed(why);
        }
    }
}
