package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import io.fibry.internal.limit.Permit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message with an answer that a thread may wait for.
 */
public class AskNode extends Asked {
    /**
     * Written by the sender before the link; cleared by the consumer, which marks an ask that it has taken, or
     * by a thread that ends the wait.
     */
    private @Nullable Object message;

    AskNode(Object message, Answer<@Nullable Object> answer) {
        super(answer);
        this.message = message;
    }

    /** Returns a node for an ask of an actor by the calling thread. */
    public static AskNode to(ActorSpec actor, Object message, Answer<@Nullable Object> answer) {
        var carriers = actor.carriers;
        var node = with(carriers == null ? null : carriers.capture(), message, answer);
        answer.attachTo(node);
        return node;
    }

    /** Returns a node for an ask that another actor passes on. Any thread may end the wait for the answer meanwhile. */
    public static AskNode passedOn(@Nullable Carried carried, Object message,
            Answer<@Nullable Object> answer) {
        var node = with(carried, message, answer);
        node.takeOver();
        return node;
    }

    private static AskNode with(@Nullable Carried carried, Object message, Answer<@Nullable Object> answer) {
        return carried == null
                ? new AskNode(message, answer)
                : new AskWithAttachment(message, answer, new Attachment(carried, null));
    }

    @Override
    public void handle(Turn turn) {
        var mine = answer;
        var content = message;
        if (mine == null || content == null || mine.isOver()) {
            turn.expired();
            return;
        }
        if (turn.behavior instanceof ForwardingBehavior workers) {
            forward(turn, workers, content, mine);
            return;
        }
        if (!mine.start(turn.cell)) {
            turn.expired();
            return;
        }
        var around = turn.asked;
        turn.asked = mine;
        Object result;
        try {
            result = turn.behavior.handle(turn, content);
            if (turn.asked != mine) {
                deferred(turn, mine, around);
                return;
            }
            if (result == Unfinished.KEPT) {
                turn.asked = around;
                putAside(turn, content, mine);
                return;
            }
            if (mine.isOfRequest() && !mine.isOver()) {
                result = RequestAnswer.valueOf(turn.cell, content, result, RequestAnswer.RETURNED);
            }
        } catch (Throwable failure) {
            var reply = turn.asked;
            turn.asked = around;
            giveBackPlaces();
            try {
                turn.askFailed(mine, content, WrongType.named(turn.cell, content.getClass(), failure));
            } finally {
                closeReply(reply);
            }
            return;
        }
        turn.asked = around;
        giveBackPlaces();
        turn.answered(mine, result);
    }

    /** Puts the message aside: the handler has returned and has not finished it. */
    private void putAside(Turn turn, Object content, Answer<@Nullable Object> mine) {
        mine.setAside(turn.cell);
        var moved = moved(content, mine);
        Stash.of(turn.cell).keep(turn, moved);
        moved.takeOver();
    }

    /** Returns a fresh node for the same ask, with all that belongs to it. The caller lets it take over. */
    AskNode moved(Object content, Answer<@Nullable Object> mine) {
        return new AskNode(content, mine);
    }

    /** Ends the handling of an ask whose reply comes later: the message is handled, and its places are free. */
    private static void deferred(Turn turn, Answer<@Nullable Object> mine, @Nullable Object around) {
        var reply = (ReplyHandle<?>) Objects.requireNonNull(turn.asked);
        turn.asked = around;
        mine.end(turn.cell);
        turn.handled();
        reply.open().release();
    }

    private static void closeReply(@Nullable Object asked) {
        if (asked instanceof ReplyHandle<?> reply) {
            reply.open().close();
        }
    }

    private static void forward(Turn turn, ForwardingBehavior workers, Object content,
            Answer<@Nullable Object> mine) {
        try {
            workers.forward(turn, content, mine);
        } catch (Throwable failure) {
            turn.askFailed(mine, content, failure);
            return;
        }
        turn.handled();
    }

    @Override
    public @Nullable Node forHeir(Cell heir) {
        var mine = answer;
        var content = message;
        if (mine == null || content == null) {
            return null;
        }
        var context = carried();
        mine.forwardTo(heir);
        return passedOn(context, content, mine);
    }

    @Override
    public void clear() {
        super.clear();
        message = null;
    }

    @Override
    final Node counted(Permit permit) {
        var mine = answer;
        var content = message;
        if (mine == null || content == null) {
            permit.giveBack(); // it was cancelled in the meantime
            return this;
        }
        var counted = new AskWithAttachment(content, mine, new Attachment(carried(), permit));
        mine.attachTo(counted);
        return counted;
    }

    /**
     * Lets the thread that waits for the answer run the turn, if that is wanted; returns true if the turn is
     * left to it. The node may have been dropped from a bounded mailbox in the meantime: then no thread waits
     * to run the turn.
     */
    final boolean leaveToWaiter(Turn turn) {
        var mine = answer;
        return mine instanceof SharedTurnAnswer<?> shared
                ? shared.share(turn)
                : mine instanceof TimedAnswer<?> timed && timed.share(turn);
    }

    @Override
    public @Nullable Object content() {
        return message;
    }

    /** As {@link #isOver}, even if no timer has noticed that the time is over. Called by the turn. */
    final boolean isOverByNow() {
        var mine = answer;
        return mine == null || mine.isOverByNow();
    }

    /** Called by any thread. */
    @Override
    public boolean isOver() {
        var mine = (Answer<?>) ANSWER.getAcquire(this);
        return mine == null || mine.isOver();
    }
}
