package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.MailboxFullException;
import io.fibry.message.MessageFate;
import java.util.concurrent.CompletableFuture;

/** An actor of the user that gets the messages into its own mailbox. */
final class DirectSubscriber<M> extends Subscriber<M> {
    private final Actor<? super M, ?> actor;
    private final CompletableFuture<?> end;

    DirectSubscriber(SubscriberSet<M> owner, String source, String name, Actor<? super M, ?> actor) {
        super(owner, source, name, new DeliveryTally());
        this.actor = actor;
        this.end = actor.onStopped();
    }

    /** Called when the subscriber is subscribed: from now on it ends with its actor. */
    void follow() {
        var unused = end.thenRun(this::close);
    }

    @Override
    boolean offer(String topic, M message) {
        if (!isOpen()) {
            tally.undelivered(1);
            settleIfEnded();
            return false;
        }
        try {
            return count(actor.sendMessage(message));
        } catch (MailboxFullException e) {
            tally.refused(1);
            settleIfEnded();
            throw e;
        }
    }

    @Override
    CompletableFuture<MessageFate> offerTracked(TopicMessage<M> message) {
        var fate = actor.sendTracked(message.content());
        var now = fate.isDone() ? fate.join() : null;
        count(!(now instanceof MessageFate.Refused) && !(now instanceof MessageFate.Dropped));
        return fate;
    }

    private boolean count(boolean taken) {
        if (taken) {
            tally.handled(1);
            settleIfEnded();
        } else {
            tally.refused(1);
            settleIfEnded();
            if (actor.state() == ActorState.STOPPED) {
                close();
            }
        }
        return taken;
    }

    @Override
    boolean hasStopped() {
        return actor.state() == ActorState.STOPPED;
    }

    /** The policy of the actor's mailbox is not known. */
    @Override
    boolean canBlock() {
        return true;
    }

    @Override
    void release() {
        end.cancel(false);
        retire();
    }
}
