package io.fibry.internal.actor;

import io.fibry.event.Expired;
import io.fibry.internal.limit.Permit;
import io.fibry.internal.report.Fates;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A message that is not handled if it has waited for too long. There is no timer: the turn looks when it takes the
 * message, so the message keeps its place in the mailbox until then.
 */
final class ExpiringMessage extends MessageWithAttachment {
    private final long sentAt;
    private final long timeToLive;

    private ExpiringMessage(Object message, Attachment attachment, long sentAt, long timeToLive) {
        super(message, attachment);
        this.sentAt = sentAt;
        this.timeToLive = timeToLive;
    }

    /** Returns a node for a message to an actor by the calling thread. Its time begins. */
    static ExpiringMessage to(ActorSpec actor, Object message, long timeToLive, @Nullable FateAnswer fate) {
        return new ExpiringMessage(message, new Attachment(actor.capture(), null, fate),
                actor.scope.time().nanoTime(), timeToLive);
    }

    @Override
    public void handle(Turn turn) {
        if (isLate(turn.time().nanoTime())) {
            expire(turn, take());
        } else {
            super.handle(turn);
        }
    }

    private void expire(Turn turn, Object message) {
        turn.expired();
        var fate = fateAfterPlaces();
        if (fate != null) {
            fate.expired();
        }
        Losses.remember(turn.cell, message, Fates.Kind.EXPIRED);
        turn.cell.report(new Expired(turn.cell.name(), message, Duration.ofNanos(timeToLive)));
    }

    private boolean isLate(long now) {
        return now - sentAt >= timeToLive;
    }

    @Override
    boolean isLate(Cell cell) {
        return isLate(cell.spec.scope.time().nanoTime());
    }

    @Override
    MessageNode moved(Object taken) {
        return new ExpiringMessage(taken, handOver(), sentAt, timeToLive);
    }

    @Override
    Node counted(Permit permit) {
        return new ExpiringMessage(content(), with(permit), sentAt, timeToLive);
    }

    @Override
    public Node forHeir(Cell heir) {
        var mine = new ExpiringMessage(content(), withoutPlaces(heir), sentAt, timeToLive);
        take();
        return mine;
    }
}
