package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.MailboxFullException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Sends what a subscriber gets on to an actor of the user. */
final class ActorRelay<M> implements TopicHandler<M> {
    private final Actor<? super M, ?> actor;
    private final CompletableFuture<?> end;
    private final DeliveryTally tally;
    /** Closes the subscription; written once, before the subscriber gets a message. */
    private @Nullable Subscription subscription;

    ActorRelay(Actor<? super M, ?> actor, DeliveryTally tally) {
        this.actor = actor;
        this.tally = tally;
        this.end = actor.onStopped();
    }

    void closes(Subscription ended) {
        subscription = ended;
    }

    /** Called when the subscriber is subscribed: from now on it ends with the actor. */
    void follow() {
        var unused = end.thenRun(this::close);
    }

    /** {@return whether the actor has stopped} That is known before the subscription is closed. */
    boolean hasEnded() {
        return actor.state() == ActorState.STOPPED;
    }

    void forget() {
        end.cancel(false);
    }

    private void close() {
        if (subscription != null) {
            subscription.close();
        }
    }

    @Override
    public void handle(String topic, M message) {
        boolean taken;
        try {
            taken = actor.sendMessage(message);
        } catch (MailboxFullException full) {
            taken = false; // the actor has reported it
        }
        if (!taken) {
            tally.handled(-1);
            tally.refused(1);
            if (actor.state() == ActorState.STOPPED) {
                close();
            }
        }
    }
}
