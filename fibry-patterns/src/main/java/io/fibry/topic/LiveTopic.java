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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    /** The actor that delivers, if there is one for this topic or for all. */
    private final @Nullable Deliverer deliverer;
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
        this.deliverer = topics.delivererFor(scope, name);
        scope.closeOnExit(this::finish);
    }

    @Override
    public String name() {
        return name;
    }

    ActorScope scope() {
        return scope;
    }

    @Nullable Deliverer deliverer() {
        return deliverer;
    }

    @Override
    public int publish(M message) {
        Objects.requireNonNull(message, "message");
        var to = accept(message);
        if (to.length == 0) {
            return 0;
        }
        return deliverer == null ? deliver(to, message)
                : handOver(deliverer.actor(), new Published<>(name, message, to, false));
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
                full = first(full, e);
            }
        }
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

    private int handOver(Actor<Runnable, Void> to, Published<M> published) {
        var active = published.active();
        var fate = to.sendTracked(published);
        if (!fate.isDone()) {
            var unused = fate.thenAccept(published::countIfLost);
            return active;
        }
        var now = fate.join();
        published.countIfLost(now);
        if (now instanceof MessageFate.Refused refused && topics.isFailing()
                && refused.why() instanceof MailboxFullException full) {
            throw full;
        }
        return now.isHandled() ? active : 0;
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
        var published = new Published<>(name, message, accept(message), deliverer != null);
        if (deliverer == null || published.to().length == 0) {
            return new Tracking(published, null, null, published.deliverTracked());
        }
        var fate = deliverer.actor().sendTracked(published);
        var unused = fate.thenAccept(published::countIfLost);
        return new Tracking(published, deliverer, fate, published.fates());
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
        var begin = scope.time().nanoTime();
        shut(deadline);
        var left = deadline.minusNanos(scope.time().nanoTime() - begin);
        return scope.stop(left.isNegative() ? Duration.ZERO : left);
    }

    @Override
    public void close() {
        stop(scope.closeTimeout());
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return topics.isSingle() ? topics.onStopped() : scope.onStopped();
    }

    /** Refuses messages from now on, and lets an actor that delivers for several topics deliver what it has. */
    private void shut(Duration deadline) {
        var before = topics.removeAndShut(this);
        if (!before.closed() && deadline.isPositive() && topics.isDelivererShared() && deliverer != null) {
            flush(deliverer.actor(), deadline);
        }
    }

    private static void flush(Actor<?, ?> deliverer, Duration deadline) {
        try {
            deliverer.execAndWait(() -> {
            }, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | RuntimeException notFlushed) {
            // The deadline is over, the actor has ended, or it is the caller: what waits finds its subscribers closed.
        }
    }

    /** Called under the lock. */
    TopicState<M> shut() {
        return state.getAndUpdate(TopicState::shut);
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

    /** The fates of a message: known one by one, or when the actor that delivers has handled it. */
    private record Tracking(Published<?> published, @Nullable Deliverer deliverer,
            @Nullable CompletableFuture<MessageFate> handedOver,
            CompletableFuture<Map<Subscriber<?>, CompletableFuture<MessageFate>>> fates) {
        Tracking(Published<?> published, @Nullable Deliverer deliverer,
                @Nullable CompletableFuture<MessageFate> handedOver,
                Map<Subscriber<?>, CompletableFuture<MessageFate>> fates) {
            this(published, deliverer, handedOver, CompletableFuture.completedFuture(fates));
        }

        CompletableFuture<Publication> publication() {
            return fates.thenCompose(
                    all -> CompletableFuture.allOf(all.values().toArray(CompletableFuture[]::new))
                            .thenApply(done -> result(all)));
        }

        private Publication result(Map<Subscriber<?>, CompletableFuture<MessageFate>> all) {
            var known = new LinkedHashMap<String, MessageFate>();
            all.forEach((subscriber, fate) -> known.put(subscriber.name(),
                    published.fate(subscriber, fate.join())));
            return new Publication(published.topic(), known);
        }

        /** Waits for the fates themselves: these waits show a cycle, and let a pool add a thread. */
        Publication await() throws InterruptedException {
            if (deliverer != null && deliverer.turn().isHeldByCurrentThread() && !fates.isDone()) {
                throw new AskCycleException("a handler that '" + deliverer.actor().name()
                        + "' serves would wait for itself: it waits until handlers of '" + published.topic()
                        + "' have had their turn, which it has; use publish instead of waiting");
            }
            try {
                if (handedOver != null) {
                    handedOver.get();
                }
                var all = fates.get();
                for (var fate : List.copyOf(all.values())) {
                    fate.get();
                }
                return result(all);
            } catch (AskCycleException cycle) {
                var text = new AskCycleException("a handler of '" + published.topic()
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
