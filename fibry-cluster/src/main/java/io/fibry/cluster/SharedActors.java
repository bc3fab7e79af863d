package io.fibry.cluster;

import io.fibry.Actor;
import io.fibry.Counters;
import io.fibry.Request;
import io.fibry.StopReport;
import io.fibry.internal.clock.Durations;
import io.fibry.keyed.KeyedActors;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Keyed actors that are shared: messages go to the homes of their keys, all else concerns the actors of this node. */
final class SharedActors<K, M, R> implements KeyedActors<K, M, R> {
    private final GroupSender<K, M, R> sender;
    private final KeyedActors<K, M, R> actors;
    private final Duration closeTimeout;
    private final Consumer<Duration> handingOver;

    SharedActors(GroupSender<K, M, R> sender, KeyedActors<K, M, R> actors, Duration closeTimeout,
            Consumer<Duration> handingOver) {
        this.sender = sender;
        this.actors = actors;
        this.closeTimeout = closeTimeout;
        this.handingOver = handingOver;
    }

    @Override
    public String name() {
        return sender.name();
    }

    @Override
    public boolean sendMessage(M message) {
        return sender.sendMessage(message);
    }

    @Override
    public boolean sendMessage(M message, Duration timeToLive) {
        return sender.sendMessage(message, timeToLive);
    }

    @Override
    public boolean sendUrgent(M message) {
        throw new IllegalStateException("No message to the shared actors '" + name()
                + "' is urgent: messages between nodes keep their order; use sendMessage");
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message) {
        return sender.sendTracked(message);
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive) {
        return sender.sendTracked(message, timeToLive);
    }

    @Override
    public CompletableFuture<R> sendMessageReturn(M message) {
        return sender.sendMessageReturn(message);
    }

    @Override
    public CompletableFuture<R> ask(M message, Duration timeout) {
        return sender.ask(message, timeout);
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request) {
        return sender.request(request);
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request, Duration timeout) {
        return sender.request(request, timeout);
    }

    @Override
    public <A extends @Nullable Object> A requestWait(Request<A> request)
            throws ExecutionException, InterruptedException {
        return sender.requestWait(request);
    }

    @Override
    public <A extends @Nullable Object> A requestWait(Request<A> request, Duration timeout)
            throws ExecutionException, InterruptedException {
        return sender.requestWait(request, timeout);
    }

    @Override
    public Optional<Actor<M, R>> find(K key) {
        return actors.find(key);
    }

    @Override
    public int live() {
        return actors.live();
    }

    @Override
    public Counters counters() {
        return actors.counters();
    }

    /** Hands the keys over to other nodes, and stops the actors of this one. */
    @Override
    public StopReport stop(Duration deadline) {
        var unused = Durations.nanos(deadline, "deadline"); // before anything is done
        handOver(deadline);
        return actors.stop(deadline);
    }

    @Override
    public void close() {
        handOver(closeTimeout);
        actors.close();
    }

    /** Hands the keys over. A deadline of zero does not wait. */
    private void handOver(Duration deadline) {
        handingOver.accept(deadline.isZero() ? Duration.ofNanos(1) : deadline);
    }

    @Override
    public String toString() {
        return "SharedActors[" + name() + ", " + live() + " live here]";
    }
}
