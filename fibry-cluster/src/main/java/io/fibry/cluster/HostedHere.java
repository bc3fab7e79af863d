package io.fibry.cluster;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.StopReport;
import io.fibry.cluster.circle.ActorWait;
import io.fibry.cluster.circle.NodeAsk;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.home.NodeLoad;
import io.fibry.cluster.stream.Verdict;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What this node has of a group without homes: workers, or the subscribers of a topic. An actor, the <em>courier</em>, hands over what has come, in
 * order, and may wait for room. When it stops them, nothing comes after that.
 *
 * <p>{@code isEnding} and {@code hasChanged}: the actor of the member alone. {@code hasEnded}: false to true by the courier, when it has handed over everything and they
 * have stopped; the actor of the member reads it.
 */
final class HostedHere implements Hosted {
    /** Hands a message over, and tells its verdict. */
    interface Delivery {
        void deliver(HomeDelivery delivery);
    }

    private final DeliveredAsks asks;
    private final Supplier<NodeLoad> load;
    private final Actor<Runnable, Void> courier;
    private final Delivery delivery;
    private final Function<Duration, StopReport> stop;
    /** Gives a future of the end. One that was given before the end is completed a moment after it, on another thread. */
    private final Supplier<CompletableFuture<StopReport>> stopped;
    private boolean isEnding;
    private boolean hasChanged;
    /** Set by the courier; the member's actor that misses it looks again at the next tick. */
    private volatile boolean hasEnded;

    HostedHere(ActorScope scope, DeliveredAsks asks, Delivery delivery, Supplier<NodeLoad> load,
            Function<Duration, StopReport> stop, Supplier<CompletableFuture<StopReport>> stopped) {
        this.asks = asks;
        this.delivery = delivery;
        this.load = load;
        this.stop = stop;
        this.stopped = stopped;
        courier = scope.anonymous().newActor((Runnable task) -> task.run());
    }

    @Override
    public String name() {
        return asks.group();
    }

    Function<Duration, StopReport> stop() {
        return stop;
    }

    CompletableFuture<StopReport> stopped() {
        return stopped.get();
    }

    /** Whether they have stopped; true as soon as their stop has returned. */
    boolean isOver() {
        return stopped().isDone();
    }

    @Override
    public void deliver(HomeDelivery arrived) {
        if (isEnding) { // sent by this node itself, before it has seen that it has them no more
            asks.settle(arrived, Verdict.STOPPED);
        } else {
            hasChanged = true;
            asks.come(arrived);
            courier.sendMessage(() -> handOver(arrived));
        }
    }

    private void handOver(HomeDelivery arrived) {
        try {
            delivery.deliver(arrived);
        } catch (Throwable failed) { // without a verdict no other message from its node would get one
            asks.fail(arrived, failed);
        }
    }

    @Override
    public void cancelled(UUID from, long ask) {
        asks.cancelled(from, ask);
    }

    @Override
    public Optional<ActorWait> waitUnder(NodeAsk ask, ClusterNode self) {
        return asks.waitUnder(ask, self);
    }

    /** Returns what other nodes are told. */
    NodeLoad load() {
        return load.get();
    }

    /** Returns whether messages have come since the last call, so that nodes that have sent them are to be told the load again. */
    boolean hasChanged() {
        var changed = hasChanged;
        hasChanged = false;
        return changed;
    }

    /** Hands over what has come, and nothing any more. Then stops them no later than the deadline; without one they stop by themselves. */
    void end(Optional<Duration> deadline) {
        if (isEnding) {
            return;
        }
        isEnding = true;
        courier.sendMessage(() -> {
            deadline.ifPresent(limit -> {
                var unused = stop.apply(limit);
            });
            hasEnded = true;
        });
        courier.sendPoisonPill();
    }

    /** Whether they have stopped, and no answer is missing. Called by any thread. */
    boolean isHandedOver() {
        return hasEnded && asks.areAnswered();
    }

    /** Whether they have still to stop, or an answer is missing. */
    boolean isBusy() {
        return (isEnding && !hasEnded) || !asks.areAnswered();
    }
}
