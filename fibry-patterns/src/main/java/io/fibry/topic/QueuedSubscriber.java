package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.Counters;
import io.fibry.message.Envelope;
import io.fibry.message.MessageFate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber with an actor of its own, which runs the handler.
 *
 * <p>A subscriber that wants the last message gets an urgent {@link Begin} before it is subscribed. Its actor then
 * subscribes it, if the subscribing thread has not done so yet, and handles the last messages at once. What is published
 * after that moment waits in the mailbox meanwhile: no message comes before the last one, and none is missing.
 */
final class QueuedSubscriber<M> extends Subscriber<M> {
    private final TopicHandler<? super M> handler;
    private final boolean labelled;
    private final boolean canBlock;
    private final Actor<Object, Void> actor;
    /** Written once, under the lock of the topics, before the message that makes the actor read it has been handled. */
    private @Nullable List<TopicMessage<M>> lasts;
    /**
     * What became of the first message. {@code ENDED} stands for an actor that has stopped before the message
     * was sent or that has refused it, {@code ENDED_AS_SENT} for one that has stopped when the message seemed
     * to be with it. Written by the thread that subscribes, under the lock, and by the actor.
     */
    private volatile Beginning beginning = Beginning.NONE;

    private enum Beginning {
        NONE, SENT, REFUSED, BEGUN, ENDED, ENDED_AS_SENT
    }

    /** The first message of a subscriber that wants the last messages; carries the one that is being handled. */
    private static final class Begin implements Envelope {
        private final Runnable subscribe;
        private TopicMessage<?> current = new TopicMessage<>("none", "none");

        Begin(Runnable subscribe) {
            this.subscribe = subscribe;
        }

        @Override
        public Object content() {
            return current.content();
        }

        @Override
        public Optional<String> about() {
            return current.about();
        }
    }

    /**
     * Makes a subscriber and its actor.
     *
     * @param labelled whether its messages carry the names of their topics
     * @param actor makes the actor with its behavior
     */
    QueuedSubscriber(SubscriberSet<M> owner, String source, String name, boolean labelled, boolean canBlock,
            TopicHandler<? super M> handler, DeliveryTally tally,
            Function<QueuedSubscriber<M>, Actor<Object, Void>> actor) {
        super(owner, source, name, tally);
        this.handler = handler;
        this.labelled = labelled;
        this.canBlock = canBlock;
        this.actor = actor.apply(this);
    }

    /** Called when the owner knows this subscriber: from now on the subscription ends with its actor. */
    void follow() {
        var unused = actor.onStopped().thenRun(this::retire);
        if (handler instanceof ActorRelay<?> relay) {
            relay.closes(this);
        }
    }

    /** {@return an urgent message that makes the actor subscribe and handle the last messages} */
    Object beginning(Runnable subscribe) {
        return new Begin(subscribe);
    }

    void begin(Object begin) {
        owner.lock.lock();
        try {
            if (beginning == Beginning.NONE) {
                beginning = Beginning.SENT; // before it may be handled
            }
        } finally {
            owner.lock.unlock();
        }
        var sent = false;
        try {
            sent = actor.sendUrgent(begin);
        } finally {
            if (!sent) {
                refuseBeginning();
            }
        }
    }

    private void refuseBeginning() {
        owner.lock.lock();
        try {
            if (beginning == Beginning.ENDED) {
                tally.refused(-1);
            } else if (beginning == Beginning.ENDED_AS_SENT) {
                tally.refused(-1);
                tally.undelivered(1);
            } else {
                beginning = Beginning.REFUSED;
            }
        } finally {
            owner.lock.unlock();
        }
        settleIfEnded();
    }

    /** The actor counts one message, however many there were. */
    @Override
    void countUnbegun() {
        owner.lock.lock();
        try {
            if (beginning == Beginning.BEGUN) {
                return;
            }
            var isSent = beginning == Beginning.SENT;
            tally.refused(beginning == Beginning.REFUSED ? -1 : 0);
            tally.undelivered((lasts == null ? 0 : lasts.size()) - (isSent ? 1 : 0));
            lasts = null;
            beginning = isSent ? Beginning.ENDED_AS_SENT : Beginning.ENDED;
        } finally {
            owner.lock.unlock();
        }
    }

    /** Called under the lock of the topics. */
    void startWith(List<TopicMessage<M>> messages) {
        lasts = messages;
    }

    @Override
    boolean offer(String topic, M message) {
        if (!isOpen() || hasTargetStopped()) {
            tally.undelivered(1);
            settleIfEnded();
            return false;
        }
        try {
            return actor.sendMessage(labelled ? new TopicMessage<>(topic, message) : message);
        } finally {
            settleIfEnded();
        }
    }

    @Override
    CompletableFuture<MessageFate> offerTracked(TopicMessage<M> message) {
        var fate = actor.sendTracked(message);
        settleIfEnded();
        return fate;
    }

    /** The behavior of the actor. */
    @SuppressWarnings("unchecked") // the actor gets what is offered, and Begin
    void handle(Object message) throws Exception {
        assert TopicMarks.here();
        if (message instanceof Begin begin) {
            beginning = Beginning.BEGUN;
            // mutant: subscriber-begins-before-it-is-subscribed
            begin.subscribe.run();
            handleLasts(begin);
            return;
        }
        if (!call(message)) {
            // mutant: message-that-is-passed-over-counts-as-handled
            tally.handled(-1);
            tally.undelivered(1);
            // mutant: message-that-is-passed-over-has-the-fate-of-a-handled-one
            if (message instanceof TopicMessage<?> tracked) {
                tracked.passOver();
            }
        }
    }

    @SuppressWarnings("unchecked") // the actor gets what is offered
    private boolean call(Object message) throws Exception {
        return message instanceof TopicMessage<?> named ? call(named.topic(), (M) named.content())
                : call(source(), (M) message);
    }

    /** {@return false if the subscription has ended} */
    private boolean call(String topic, M message) throws Exception {
        // mutant: ended-subscription-handles-what-waits
        if (!isOpen()) {
            return false;
        }
        handler.handle(topic, message);
        return true;
    }

    private void handleLasts(Begin begin) throws Exception {
        var messages = lasts;
        lasts = null;
        long handled = 0;
        long failed = 0;
        long undelivered = 0;
        boolean interrupted = false;
        Throwable first = null;
        for (var message : messages == null ? List.<TopicMessage<M>>of() : messages) {
            try {
                if (!interrupted && call(message.topic(), message.content())) {
                    handled++;
                } else {
                    undelivered++;
                }
            } catch (Throwable failure) {
                failed++;
                interrupted =
                        failure instanceof InterruptedException || Thread.currentThread().isInterrupted();
                if (first == null) {
                    first = failure;
                    begin.current = message;
                } else if (first != failure) {
                    first.addSuppressed(failure);
                }
            }
        }
        // The actor counts one message, however many there were.
        tally.handled(first == null ? handled - 1 : handled);
        tally.failed(first == null ? 0 : failed - 1);
        tally.undelivered(undelivered);
        rethrow(first);
    }

    private static void rethrow(@Nullable Throwable failure) throws Exception {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (Exception) failure;
        }
    }

    @Override
    public Counters counters() {
        var sum = DeliveryTally.sum(actor.counters(), super.counters());
        return new Counters(sum.handled(), sum.failed(), 0, sum.dropped(), sum.refused(),
                sum.undelivered() + sum.expired());
    }

    @Override
    boolean hasStopped() {
        return actor.state() == ActorState.STOPPED || hasTargetStopped();
    }

    /** {@return whether messages are sent on to an actor of the user that has stopped} */
    private boolean hasTargetStopped() {
        return handler instanceof ActorRelay<?> relay && relay.hasEnded();
    }

    @Override
    boolean canBlock() {
        return canBlock;
    }

    /** What waits is passed over by the behavior, so that it is not reported as lost. */
    @Override
    void release() {
        actor.sendPoisonPill();
        if (handler instanceof ActorRelay<?> relay) {
            relay.forget();
        }
    }
}
