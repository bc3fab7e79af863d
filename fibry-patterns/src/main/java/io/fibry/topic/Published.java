package io.fibry.topic;

import io.fibry.MailboxFullException;
import io.fibry.message.Envelope;
import io.fibry.message.MessageFate;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A message with those who are to get it, as it waits for the actor that delivers. */
final class Published<M> implements Envelope, Runnable {
    private final String topic;
    private final M content;
    private final Subscriber<M>[] to;
    private final boolean tracked;
    private final CompletableFuture<Map<Subscriber<?>, CompletableFuture<MessageFate>>> fates =
            new CompletableFuture<>();
    /** What the subscribers were offered; written before {@link #fates} is complete, and read after that. */
    private final Map<Subscriber<?>, TrackedMessage<M>> sent = new HashMap<>();

    Published(String topic, M content, Subscriber<M>[] to, boolean tracked) {
        this.topic = topic;
        this.content = content;
        this.to = to;
        this.tracked = tracked;
    }

    @Override
    public M content() {
        return content;
    }

    @Override
    public Optional<String> about() {
        return Optional.of(topic);
    }

    String topic() {
        return topic;
    }

    Subscriber<M>[] to() {
        return to;
    }

    /** {@return how many of them have not ended} The end of an actor is known before the subscription is removed. */
    int active() {
        int active = 0;
        for (var subscriber : to) {
            active += subscriber.isActive() ? 1 : 0;
        }
        return active;
    }

    CompletableFuture<Map<Subscriber<?>, CompletableFuture<MessageFate>>> fates() {
        return fates;
    }

    /** Delivers, on the thread of the actor. */
    @Override
    public void run() {
        if (tracked) {
            fates.complete(deliverTracked());
            return;
        }
        for (var subscriber : to) {
            if (!subscriber.isOpen()) {
                subscriber.tally.undelivered(1);
                subscriber.settleIfEnded();
                continue;
            }
            try {
                subscriber.offer(topic, content);
            } catch (MailboxFullException counted) {
                // The subscriber has counted the message as refused, and its actor has reported it.
            }
        }
    }

    Map<Subscriber<?>, CompletableFuture<MessageFate>> deliverTracked() {
        var all = new LinkedHashMap<Subscriber<?>, CompletableFuture<MessageFate>>();
        for (var subscriber : to) {
            all.put(subscriber, offerTracked(subscriber));
        }
        return all;
    }

    private CompletableFuture<MessageFate> offerTracked(Subscriber<M> subscriber) {
        if (subscriber.isOpen()) {
            var message = new TrackedMessage<>(topic, content);
            sent.put(subscriber, message);
            return subscriber.offerTracked(message);
        }
        subscriber.tally.undelivered(1);
        subscriber.settleIfEnded();
        return CompletableFuture.completedFuture(TrackedMessage.ended(subscriber.name()));
    }

    /** {@return the fate of the message for a subscriber, when its actor knows one} */
    MessageFate fate(Subscriber<?> subscriber, MessageFate ofActor) {
        var message = sent.get(subscriber);
        return message == null ? ofActor : message.fate(ofActor, subscriber.name());
    }

    /** Called with what became of this message in the mailbox of the actor that delivers. */
    void countIfLost(MessageFate fate) {
        if (fate.isHandled()) {
            return;
        }
        var all = new LinkedHashMap<Subscriber<?>, CompletableFuture<MessageFate>>();
        for (var subscriber : to) {
            switch (fate) {
                case MessageFate.Dropped dropped -> subscriber.tally.dropped(1);
                case MessageFate.Refused refused -> subscriber.tally.refused(1);
                default -> subscriber.tally.undelivered(1);
            }
            subscriber.settleIfEnded();
            all.put(subscriber, CompletableFuture.completedFuture(fate));
        }
        fates.complete(all);
    }
}
