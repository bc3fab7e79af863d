package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The topics of a set, and the subscribers of patterns, which belong to the set and to no topic. Topics and subscriptions
 * begin and end under one lock, which is that of this class, so all of that is here, and the class is long.
 */
final class LiveTopics<M> extends SubscriberSet<M> implements Topics<M> {
    final TopicOptions options;
    private final ActorScope scope;
    private final boolean single;
    /** Written under the lock. In the order of names, in which a subscriber of a pattern begins. */
    private final ConcurrentSkipListMap<String, LiveTopic<M>> topics = new ConcurrentSkipListMap<>();
    /** Guarded by the lock. */
    private final List<Subscriber<M>> patterns = new ArrayList<>();
    /** Topics that are closed and whose handlers may still work; guarded by the lock. */
    private final List<LiveTopic<M>> ending = new ArrayList<>();
    private final AtomicLong numbers = new AtomicLong();
    /** Written under the lock. */
    private volatile boolean closed;

    LiveTopics(ActorScope scope, String name, TopicOptions options) {
        this(scope, name, options, false);
    }

    private LiveTopics(ActorScope scope, String name, TopicOptions options, boolean single) {
        super(new ReentrantLock());
        this.options = Objects.requireNonNull(options, "options");
        this.single = single;
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("the name of topics must not be blank: '" + name + "'");
        }
        this.scope = Objects.requireNonNull(scope, "scope").child(name).withoutDefaults().open();
        this.scope.closeOnExit(this::finish);
    }

    static <M> Topic<M> single(ActorScope scope, String name, TopicOptions options) {
        checkName(name);
        var topics = new LiveTopics<M>(scope, name, options, true);
        try {
            return topics.topic(name);
        } catch (RuntimeException | Error failure) {
            topics.close();
            throw failure;
        }
    }

    private static void checkName(String name) {
        if (Objects.requireNonNull(name, "name").isBlank() || name.indexOf('*') >= 0) {
            throw new IllegalArgumentException(
                    "the name of a topic must not be blank and must have no asterisk: '" + name
                            + "'; only a subscriber may use a pattern");
        }
    }

    /** {@return whether the set has one topic only, and ends with it} */
    boolean isSingle() {
        return single;
    }

    private IllegalStateException closedFailure() {
        return new IllegalStateException("the topics '" + scope.name() + "' are closed; open others");
    }

    @Override
    public Topic<M> topic(String name) {
        var found = topics.get(Objects.requireNonNull(name, "name"));
        return found != null ? found : make(name);
    }

    /** The code of users that this runs, such as that of {@link TopicOptions#actors}, does not run under the lock. */
    private LiveTopic<M> make(String name) {
        checkName(name);
        requireRoom(name);
        LiveTopic<M> made;
        try {
            made = new LiveTopic<>(this, name, scope.child(name).open());
        } catch (IllegalStateException scopeClosed) {
            requireRoom(name);
            throw scopeClosed;
        }
        @Nullable LiveTopic<M> used = null;
        try {
            used = findOrPut(made);
            return used;
        } finally {
            if (used != made) {
                made.scope().close(); // another thread was faster, or there may be no topic any more
            }
        }
    }

    private LiveTopic<M> findOrPut(LiveTopic<M> made) {
        lock.lock();
        try {
            var found = topics.get(made.name());
            if (found != null) {
                return found;
            }
            requireRoom(made.name());
            for (var pattern : patterns) {
                if (matches(pattern.source(), made.name())) {
                    made.attach(pattern);
                }
            }
            topics.put(made.name(), made);
            return made;
        } finally {
            lock.unlock();
        }
    }

    private void requireRoom(String name) {
        if (closed) {
            throw closedFailure();
        }
        if (topics.size() >= options.mostTopics() && !topics.containsKey(name)) {
            throw new IllegalStateException("the topics '" + scope.name() + "' cannot make '" + name
                    + "': there are as many as may be, " + options.mostTopics()
                    + "; close some, or raise TopicOptions.withMostTopics");
        }
    }

    @Override
    public Optional<Topic<M>> find(String name) {
        return Optional.ofNullable(topics.get(Objects.requireNonNull(name, "name")));
    }

    @Override
    public SortedSet<String> names() {
        return Collections.unmodifiableSortedSet(new TreeSet<>(topics.keySet()));
    }

    @Override
    public int publish(String topic, M message) {
        Objects.requireNonNull(message, "message");
        var found = topics.get(Objects.requireNonNull(topic, "topic"));
        if (found == null) {
            if (closed) {
                past.refused(1);
                return 0;
            }
            found = make(topic);
        }
        return found.publish(message);
    }

    private static boolean isPattern(String pattern) {
        var at = Objects.requireNonNull(pattern, "pattern").indexOf('*');
        if (pattern.isBlank() || (at >= 0 && at < pattern.length() - 1)) {
            throw new IllegalArgumentException(
                    "a pattern must not be blank, and may have an asterisk at its end only: '"
                            + pattern + "'; subscribe once for each prefix");
        }
        return at >= 0;
    }

    private static boolean matches(String pattern, String name) {
        return name.startsWith(pattern.substring(0, pattern.length() - 1));
    }

    @Override
    public Subscription subscribe(String pattern, SubscriberOptions subscriber,
            TopicHandler<? super M> handler) {
        Objects.requireNonNull(handler, "handler");
        return subscribeQueued(pattern, topicOf(pattern), subscriber, handler, new DeliveryTally());
    }

    /** Returns the topic with a name; null if it is a pattern. */
    private @Nullable LiveTopic<M> topicOf(String pattern) {
        return isPattern(pattern) ? null : (LiveTopic<M>) topic(pattern);
    }

    Subscription subscribeTo(LiveTopic<M> topic, SubscriberOptions subscriber,
            TopicHandler<? super M> handler) {
        return subscribeQueued(topic.name(), topic, subscriber, handler, new DeliveryTally());
    }

    @Override
    public Subscription subscribe(String pattern, SubscriberOptions subscriber, Actor<? super M, ?> actor) {
        Objects.requireNonNull(actor, "actor");
        return subscribeActor(pattern, topicOf(pattern), subscriber, actor);
    }

    Subscription subscribeTo(LiveTopic<M> topic, SubscriberOptions subscriber, Actor<? super M, ?> actor) {
        return subscribeActor(topic.name(), topic, subscriber, actor);
    }

    /** Returns what lists the subscribers of a topic, or, for null, of patterns. */
    private SubscriberSet<M> owner(@Nullable LiveTopic<M> topic) {
        return topic == null ? this : topic;
    }

    private Subscription subscribeActor(String source, @Nullable LiveTopic<M> topic,
            SubscriberOptions subscriber, Actor<? super M, ?> actor) {
        if (Objects.requireNonNull(subscriber, "options").last() || subscriber.mailbox().isPresent()) {
            return relay(source, topic, subscriber, actor);
        }
        var owner = owner(topic);
        var direct = new DirectSubscriber<>(owner, source, nameOf(source, subscriber), actor);
        owner.remember(direct);
        if (!attach(direct, topic)) {
            direct.close();
            throw closedFailure();
        }
        direct.follow();
        return direct;
    }

    private Subscription relay(String source, @Nullable LiveTopic<M> topic, SubscriberOptions subscriber,
            Actor<? super M, ?> actor) {
        var tally = new DeliveryTally();
        var relay = new ActorRelay<M>(actor, tally);
        try {
            var subscription = subscribeQueued(source, topic, subscriber, relay, tally);
            relay.follow();
            return subscription;
        } catch (RuntimeException | Error refused) {
            relay.forget();
            throw refused;
        }
    }

    private String nameOf(String source, SubscriberOptions subscriber) {
        return source + "/" + Objects.requireNonNull(subscriber, "options").name() + "-"
                + numbers.incrementAndGet();
    }

    private QueuedSubscriber<M> subscribeQueued(String source, @Nullable LiveTopic<M> topic,
            SubscriberOptions subscriber, TopicHandler<? super M> handler, DeliveryTally tally) {
        if (Objects.requireNonNull(subscriber, "options").last() && !options.keepsLast()) {
            throw new IllegalArgumentException(
                    "subscriber '" + subscriber.name() + "' wants the last message of '" + source
                            + "', which keeps none; open the topics with TopicOptions.keepingLast()");
        }
        if (closed || (topic != null && topic.isClosed())) {
            throw closedFailure();
        }
        var mailbox = subscriber.mailbox().orElse(options.mailbox());
        var name = nameOf(source, subscriber);
        var canBlock = mailbox instanceof MailboxPolicy.Bounded bounded
                && bounded.overflow() instanceof OverflowPolicy.Block;
        var owner = owner(topic);
        var place = topic == null ? scope : topic.scope();
        var made = new QueuedSubscriber<M>(owner, source, name, topic == null, canBlock, handler, tally,
                self -> builder(place, name, mailbox, subscriber.last()).newActor(
                        Handler.<Object>shownAs(handler instanceof OfOneTopic<?> one ? one.handler : handler,
                                self::handle)));
        owner.remember(made);
        made.follow();
        var isAttached = false;
        try {
            if (subscriber.last()) {
                made.begin(made.beginning(() -> attach(made, topic)));
            }
            isAttached = attach(made, topic);
        } finally {
            if (!isAttached) {
                made.close();
            }
        }
        if (!isAttached) {
            throw closedFailure();
        }
        return made;
    }

    /** A handler that needs no name of a topic. */
    record OfOneTopic<M>(Handler<? super M> handler) implements TopicHandler<M> {
        @Override
        public void handle(String topic, M message) throws Exception {
            handler.handle(message);
        }
    }

    private ActorBuilder builder(ActorScope place, String name, MailboxPolicy mailbox, boolean last) {
        var builder = options.actors().apply(place.named(name)).mailbox(mailbox);
        return last ? builder.urgent(1) : builder;
    }

    /**
     * Subscribes, unless this was done before.
     *
     * @return false if the topic or the topics are closed
     */
    private boolean attach(Subscriber<M> subscriber, @Nullable LiveTopic<M> topic) {
        lock.lock();
        try {
            if (closed || (topic != null && topic.isClosed())) {
                return false;
            }
            if (!subscriber.becomesAttached()) {
                return true;
            }
            var lasts = new ArrayList<TopicMessage<M>>();
            if (topic != null) {
                add(subscriber, topic, lasts);
            } else {
                patterns.add(subscriber);
                for (var each : topics.values()) {
                    if (matches(subscriber.source(), each.name())) {
                        add(subscriber, each, lasts);
                    }
                }
            }
            if (subscriber instanceof QueuedSubscriber<M> queued) {
                queued.startWith(lasts);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void add(Subscriber<M> subscriber, LiveTopic<M> topic, List<TopicMessage<M>> lasts) {
        var last = topic.attach(subscriber).last();
        if (last != null) {
            lasts.add(new TopicMessage<>(topic.name(), last));
        }
    }

    /** Ends the delivery to a subscriber of a pattern. */
    @Override
    void detach(Subscriber<M> subscriber) {
        lock.lock();
        try {
            if (patterns.remove(subscriber)) {
                topics.values().forEach(topic -> topic.drop(subscriber));
            }
        } finally {
            lock.unlock();
        }
    }

    void removeAndShut(LiveTopic<M> topic) {
        lock.lock();
        try {
            if (topics.remove(topic.name(), topic)) {
                ending.add(topic);
            }
            topic.shut();
        } finally {
            lock.unlock();
        }
    }

    /** Called when a topic has ended: its counts stay in the sum. */
    void fold(LiveTopic<M> topic) {
        lock.lock();
        try {
            if (ending.remove(topic)) {
                past.add(topic.notYetInSum());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called under the lock. Counts what has come after the counts of a topic were added to those of the set. */
    void addPastOf(LiveTopic<M> topic) {
        if (topics.get(topic.name()) != topic && !ending.contains(topic)) {
            past.add(topic.notYetInSum());
        }
    }

    /** Counts a message that came after the end of its topic. */
    void countRefused(LiveTopic<M> topic) {
        lock.lock();
        try {
            topic.past.refused(1);
            addPastOf(topic);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int subscriptions() {
        lock.lock();
        try {
            int sum = active();
            for (var topic : topics.values()) {
                sum += topic.active();
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Counters counters() {
        lock.lock();
        try {
            var sum = counted();
            for (var topic : topics.values()) {
                sum = DeliveryTally.sum(sum, topic.counters());
            }
            for (var topic : ending) {
                sum = DeliveryTally.sum(sum, topic.counters());
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public StopReport stop(Duration deadline) {
        if (!Objects.requireNonNull(deadline, "deadline").isNegative()) {
            shut();
        }
        return scope.stop(deadline);
    }

    @Override
    public void close() {
        shut();
        scope.close();
    }

    private void shut() {
        lock.lock();
        try {
            closed = true;
            topics.values().forEach(LiveTopic::shut);
        } finally {
            lock.unlock();
        }
    }

    private void finish() {
        shut();
        for (var subscriber : present()) {
            subscriber.close();
        }
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return scope.onStopped();
    }

    @Override
    public String toString() {
        return "Topics[" + scope.name() + ", topics=" + topics.size() + (closed ? ", closed" : "") + "]";
    }
}
