package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.AskCycleException;
import io.fibry.Counters;
import io.fibry.MailboxFullException;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A topic. Its state is an immutable object that is replaced by a CAS: the subscribers, and the last message if it is kept.
 * So each message is published either before or after a subscriber is added, and the subscriber has it either as the last
 * message or as one of its own.
 */
final class LiveTopic<M> extends SubscriberSet<M> implements Topic<M> {
    private final LiveTopics<M> topics;
    private final String name;
    private final ActorScope scope;
    private final boolean keepsLast;
    private final AtomicReference<TopicState<M>> state = new AtomicReference<>(TopicState.empty());
    /** What is in the sum of the set of topics already; guarded by the lock. */
    private Counters inSum = new Counters(0, 0, 0, 0, 0, 0);

    /** Makes a topic that the topics do not know yet. */
    LiveTopic(LiveTopics<M> topics, String name, ActorScope scope) {
        super(topics.lock);
        this.topics = topics;
        this.name = name;
        this.scope = scope;
        this.keepsLast = topics.options.keepsLast();
        scope.closeOnExit(this::finish);
    }

    @Override
    public String name() {
        return name;
    }

    ActorScope scope() {
        return scope;
    }

    @Override
    public int publish(M message) {
        Objects.requireNonNull(message, "message");
        return deliver(accept(message), message);
    }

    /** Makes the message the last one, if the topic keeps it; returns those who are to get it. */
    private Subscriber<M>[] accept(M message) {
        while (true) {
            var now = state.get();
            if (now.closed()) {
                topics.countRefused(this);
                return now.subscribers();
            }
            assert TopicMarks.here();
            // mutant: message-forgets-a-new-subscriber
            if (!keepsLast || state.compareAndSet(now, now.withLast(message))) {
                return now.subscribers();
            }
        }
    }

    private int deliver(Subscriber<M>[] to, M message) {
        int taken = 0;
        MailboxFullException full = null;
        for (var subscriber : to) {
            try {
                if (subscriber.offer(name, message)) {
                    taken++;
                }
            } catch (MailboxFullException e) {
                // mutant: full-mailbox-ends-the-delivery-to-the-others
                full = first(full, e);
            }
        }
        // mutant: full-mailbox-is-told-to-nobody
        if (full != null) {
            throw full;
        }
        return taken;
    }

    private static MailboxFullException first(@Nullable MailboxFullException first,
            MailboxFullException next) {
        if (first == null) {
            return next;
        }
        if (first != next) {
            first.addSuppressed(next);
        }
        return first;
    }

    @Override
    public CompletableFuture<Publication> publishTracked(M message) {
        return track(message).publication();
    }

    @Override
    public Publication publishAndWait(M message) throws InterruptedException {
        return track(message).await();
    }

    private Tracking track(M message) {
        Objects.requireNonNull(message, "message");
        var offers = new ArrayList<Offer>();
        for (var subscriber : accept(message)) {
            offers.add(offerTracked(subscriber, new TopicMessage<>(name, message)));
        }
        return new Tracking(name, offers);
    }

    private static <M> Offer offerTracked(Subscriber<M> subscriber, TopicMessage<M> message) {
        if (subscriber.isOpen()) {
            return new Offer(subscriber.name(), message, subscriber.offerTracked(message));
        }
        subscriber.tally.undelivered(1);
        subscriber.settleIfEnded();
        return new Offer(subscriber.name(), message,
                CompletableFuture.completedFuture(TopicMessage.ended(subscriber.name())));
    }

    @Override
    public Subscription subscribe(SubscriberOptions options, Handler<? super M> handler) {
        Objects.requireNonNull(handler, "handler");
        return topics.subscribeTo(this, options, new LiveTopics.OfOneTopic<>(handler));
    }

    @Override
    public Subscription subscribe(SubscriberOptions options, Actor<? super M, ?> actor) {
        return topics.subscribeTo(this, options, Objects.requireNonNull(actor, "actor"));
    }

    /** Called under the lock. Returns the state before, whose last message is the one that the subscriber begins with. */
    TopicState<M> attach(Subscriber<M> subscriber) {
        return state.getAndUpdate(now -> now.with(subscriber));
    }

    /** Called under the lock for a subscriber of a pattern. */
    void drop(Subscriber<M> subscriber) {
        state.updateAndGet(now -> now.without(subscriber));
    }

    @Override
    void detach(Subscriber<M> subscriber) {
        lock.lock();
        try {
            drop(subscriber);
        } finally {
            lock.unlock();
        }
    }

    @Override
    void addPast(Counters counters) {
        super.addPast(counters);
        topics.addPastOf(this);
    }

    /** Called under the lock, when the set of topics does not know this topic any more. */
    Counters notYetInSum() {
        var before = inSum;
        inSum = counters();
        return DeliveryTally.difference(inSum, before);
    }

    boolean isClosed() {
        return state.get().closed();
    }

    @Override
    public int subscribers() {
        return state.get().subscribers().length;
    }

    @Override
    public Optional<M> last() {
        return Optional.ofNullable(state.get().last());
    }

    @Override
    public Counters counters() {
        return counted();
    }

    @Override
    public StopReport stop(Duration deadline) {
        Objects.requireNonNull(deadline, "deadline");
        if (topics.isSingle() || deadline.isNegative()) { // the scope refuses a negative deadline
            return topics.isSingle() ? topics.stop(deadline) : scope.stop(deadline);
        }
        topics.removeAndShut(this);
        return scope.stop(deadline);
    }

    @Override
    public void close() {
        if (topics.isSingle()) {
            topics.close();
        } else {
            topics.removeAndShut(this);
            scope.close();
        }
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return topics.isSingle() ? topics.onStopped() : scope.onStopped();
    }

    /** Called under the lock. */
    void shut() {
        state.updateAndGet(TopicState::shut);
    }

    /** Called when the scope has ended: the actors of users that have subscribed are left. */
    private void finish() {
        topics.removeAndShut(this);
        for (var subscriber : present()) {
            subscriber.close();
        }
        topics.fold(this);
    }

    @Override
    public String toString() {
        return "Topic[" + name + ", subscribers=" + subscribers() + (isClosed() ? ", closed" : "") + "]";
    }

    /** What one subscriber was offered, and what its actor says of the fate. */
    private record Offer(String subscription, TopicMessage<?> message,
            CompletableFuture<MessageFate> ofActor) {
        MessageFate fate() {
            return message.fate(ofActor.join(), subscription);
        }
    }

    /** The fates of a message. */
    private record Tracking(String topic, List<Offer> offers) {
        CompletableFuture<Publication> publication() {
            return CompletableFuture
                    .allOf(offers.stream().map(Offer::ofActor).toArray(CompletableFuture[]::new))
                    .thenApply(done -> result());
        }

        private Publication result() {
            var fates = new LinkedHashMap<String, MessageFate>();
            offers.forEach(offer -> fates.put(offer.subscription(), offer.fate()));
            return new Publication(topic, fates);
        }

        /** Waits for the fates themselves: these waits show a cycle, and let a pool add a thread. */
        Publication await() throws InterruptedException {
            try {
                for (var offer : offers) {
                    offer.ofActor().get();
                }
                return result();
            } catch (AskCycleException cycle) {
                var text = new AskCycleException("a handler of '" + topic
                        + "' would wait for itself, or for one that waits for it, to handle the message; use publish instead of"
                        + " waiting");
                text.initCause(cycle);
                throw text;
            } catch (ExecutionException e) {
                throw new AssertionError("a fate is never an exception", e);
            }
        }
    }
}
