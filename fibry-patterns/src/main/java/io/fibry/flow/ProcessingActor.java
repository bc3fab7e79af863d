package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.StopReport;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** An actor between a subscriber, which gives it messages, and a publisher, which has the subscribers that it knows. */
final class ProcessingActor<M, T> implements FlowActor<M, T> {
    private final String name;
    private final SourcePublisher<T> publisher;
    private final Input input;
    private final Actor<Object, Void> actor;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Set<FlowSink<T>> sinks = new LinkedHashSet<>();
    private boolean over;
    private @Nullable Throwable failure;
    private Flow.@Nullable Subscription early;
    private boolean isWanted;
    private boolean hasPublisher;

    /** Takes values from upstream, as far as there is room. */
    private final class Input extends ActorSubscriber<M> {
        Input(String name, FlowOptions options) {
            super(name, options);
        }

        @Override
        CompletableFuture<MessageFate> send(M value) {
            return actor.sendTracked(value);
        }

        @Override
        void complete() {
            actor.sendPoisonPill();
        }

        @Override
        public StopReport stop(Duration deadline) {
            return ProcessingActor.this.stop(deadline);
        }

        @Override
        public void close() {
            ProcessingActor.this.close();
        }

        @Override
        public CompletableFuture<StopReport> onStopped() {
            return actor.onStopped();
        }

        @Override
        public Counters counters() {
            return actor.counters();
        }
    }

    ProcessingActor(ActorScope scope, String name, FlowOptions options, FlowHandler<M, T> handler) {
        Objects.requireNonNull(handler, "handler");
        this.name = name;
        this.publisher = new SourcePublisher<>(scope, name, options, this::connect);
        this.input = new Input(name, options);
        var output = new Output();
        try {
            this.actor = options.actors()
                    .apply(publisher.inside().named(name).strategy(CreationStrategy.fibers()))
                    .onExit(this::end)
                    .newActor((Object message) -> handle(handler, message, output));
        } catch (RuntimeException | Error e) {
            publisher.close();
            throw e;
        }
    }

    /** Publishes to those who are subscribed. */
    private final class Output implements GeneratorOutput<T> {
        @Override
        @SuppressWarnings("NamedLikeContextualKeyword")
        public void yield(T value) {
            Objects.requireNonNull(value, "value");
            for (var sink : present()) {
                sink.offer(value);
            }
        }

        @Override
        public boolean isWanted() {
            return !present().isEmpty();
        }
    }

    @SuppressWarnings("unchecked") // nothing else is sent
    private void handle(FlowHandler<M, T> handler, Object message, GeneratorOutput<T> output)
            throws Exception {
        handler.handle((M) message, output);
    }

    private List<FlowSink<T>> present() {
        lock.lock();
        try {
            return new ArrayList<>(sinks);
        } finally {
            lock.unlock();
        }
    }

    // ---- Its subscribers. ----

    private AutoCloseable connect(FlowSink<T> sink) {
        boolean isLate;
        Flow.Subscription begins = null;
        lock.lock();
        try {
            isLate = over;
            if (!isLate) {
                sinks.add(sink);
            }
            isWanted = true;
            begins = early;
            early = null;
        } finally {
            lock.unlock();
        }
        if (isLate) {
            finish(sink);
        }
        if (begins != null) {
            begin(begins);
        }
        return () -> disconnect(sink);
    }

    private void disconnect(FlowSink<T> sink) {
        boolean isUnwanted;
        lock.lock();
        try {
            isUnwanted = sinks.remove(sink) && sinks.isEmpty() && hasPublisher && !over;
        } finally {
            lock.unlock();
        }
        if (isUnwanted) {
            input.finishEarly();
        }
    }

    private void finish(FlowSink<T> sink) {
        Throwable why;
        lock.lock();
        try {
            why = failure;
        } finally {
            lock.unlock();
        }
        if (why == null) {
            sink.complete();
        } else {
            ((PushedValues<T>) sink).failAtOnce(why);
        }
    }

    /** Runs when the actor ends. */
    private void end() {
        List<FlowSink<T>> left;
        Flow.Subscription unused;
        input.lose(Production.stopped(name));
        lock.lock();
        try {
            failure = input.whyEnded();
            over = true;
            left = new ArrayList<>(sinks);
            sinks.clear();
            unused = early;
            early = null;
            isWanted = true;
        } finally {
            lock.unlock();
        }
        left.forEach(this::finish);
        if (unused != null) {
            unused.cancel();
        }
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        publisher.subscribe(subscriber);
    }

    @Override
    public int subscriptions() {
        return publisher.subscriptions();
    }

    // ---- Its messages. ----

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        boolean isFirst;
        lock.lock();
        try {
            isFirst = early == null;
            if (isFirst && !isWanted) {
                early = subscription;
                return;
            }
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            begin(subscription);
        } else {
            subscription.cancel();
        }
    }

    private void begin(Flow.Subscription subscription) {
        lock.lock();
        try {
            hasPublisher = true;
        } finally {
            lock.unlock();
        }
        input.onSubscribe(subscription);
    }

    @Override
    public void onNext(M value) {
        input.onNext(value);
    }

    @Override
    public void onError(Throwable thrown) {
        input.onError(thrown);
    }

    @Override
    public void onComplete() {
        input.onComplete();
    }

    @Override
    public boolean sendMessage(M message) {
        return actor.sendMessage(Objects.requireNonNull(message, "message"));
    }

    @Override
    public void complete() {
        input.finishEarly();
    }

    @Override
    public StopReport stop(Duration deadline) {
        return publisher.stop(deadline);
    }

    @Override
    public void close() {
        publisher.close();
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return actor.onStopped();
    }

    @Override
    public Counters counters() {
        return actor.counters();
    }

    @Override
    public String toString() {
        return "flow actor '" + name + "'";
    }
}
