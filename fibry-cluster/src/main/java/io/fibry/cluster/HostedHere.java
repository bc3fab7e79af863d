package io.fibry.cluster;

import io.fibry.Actor;
import io.fibry.MailboxFullException;
import io.fibry.StopReport;
import io.fibry.cluster.LetterBody.Want;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.home.NodeLoad;
import io.fibry.cluster.stream.Verdict;
import io.fibry.pool.WorkerPool;
import io.fibry.topic.Publication;
import io.fibry.topic.Topic;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node has of a group without homes: workers, or the subscribers of a topic. An actor, the <em>courier</em>,
 * hands over what has come, in order, and may wait for room. When it stops them, nothing comes after that.
 *
 * <p>{@code isEnding} and {@code hasChanged}: the actor of the member alone. {@code hasEnded}: false to true by the
 * courier, when it has handed over everything and they have stopped; the actor of the member reads it.
 */
final class HostedHere extends Hosted {
    private static final Logger LOGGER = LoggerFactory.getLogger(HostedHere.class);

    private final Supplier<NodeLoad> load;
    private final Actor<Runnable, Void> courier;
    /** Hands a message over, and tells its verdict. */
    private final Consumer<HomeDelivery> delivery;
    private final Function<Duration, StopReport> stop;
    private final Consumer<Input> member;
    /** Gives a future of the end. One that was given before the end is completed a moment after it, on another thread. */
    private final Supplier<CompletableFuture<StopReport>> stopped;
    private boolean isEnding;
    private boolean hasChanged;
    /** Set by the courier, which then tells the actor of the member to look at it. */
    private volatile boolean hasEnded;

    private HostedHere(JoinedCluster cluster, DeliveredAsks asks, Consumer<HomeDelivery> delivery,
            Supplier<NodeLoad> load, Function<Duration, StopReport> stop,
            Supplier<CompletableFuture<StopReport>> stopped) {
        super(asks);
        this.delivery = delivery;
        this.load = load;
        this.stop = stop;
        this.stopped = stopped;
        member = cluster::put;
        courier = cluster.inner.anonymous().newActor((Runnable task) -> task.run());
    }

    /** Returns the workers of this node. */
    static <M, R> HostedHere ofWorkers(ClusterGroup<?, M, R> group, GroupCodec<?, M, R> codec,
            WorkerPool<M, R> pool, JoinedCluster cluster) {
        var asks = asks(group, cluster);
        var letters = new LetterReader<>(codec, cluster.context, asks);
        return new HostedHere(cluster, asks,
                arrived -> letters.readOrRefuse(arrived)
                        .ifPresent(
                                letter -> letters.give(arrived, letter, letter.message(), pool, asks::group,
                                        () -> pool.isStopping() ? Verdict.STOPPED : Verdict.FULL)),
                () -> new NodeLoad(pool.size(), pool.busy() + pool.waiting()), pool::stop, pool::onStopped);
    }

    /** Returns the subscribers of this node. They get what other nodes have published. */
    static <M> HostedHere ofTopic(ClusterGroup<?, M, Void> group, GroupCodec<?, M, Void> codec,
            Topic<M> topic, JoinedCluster cluster) {
        var asks = asks(group, cluster);
        var letters = new LetterReader<>(codec, cluster.context, asks);
        return new HostedHere(cluster, asks,
                arrived -> letters.readOrRefuse(arrived).ifPresent(letter -> letters.around(letter, () -> {
                    if (letter.want() == Want.TELL) {
                        publish(topic, letter.message());
                        asks.settle(arrived, Verdict.TAKEN);
                    } else {
                        asks.take(arrived, asks::group, topic.publishTracked(letter.message()),
                                publication -> AnswerBody
                                        .fates((Publication) Objects.requireNonNull(publication)));
                    }
                })), () -> new NodeLoad(topic.subscribers(), 0), topic::stop, topic::onStopped);
    }

    private static DeliveredAsks asks(ClusterGroup<?, ?, ?> group, JoinedCluster cluster) {
        return new DeliveredAsks(group.name(), cluster::put, cluster::node, cluster.scope.time(), false);
    }

    private static <M> void publish(Topic<M> topic, M message) {
        try {
            var unused = topic.publish(message);
        } catch (MailboxFullException full) { // all other subscribers have it
            LOGGER.debug("A subscriber of the topic '{}' did not take a message of another node",
                    topic.name(), full);
        }
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
    void deliver(HomeDelivery arrived) {
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
            delivery.accept(arrived);
        } catch (Throwable failed) { // without a verdict no other message from its node would get one
            asks.fail(arrived, failed);
        }
    }

    @Override
    NodeLoad load() {
        return load.get();
    }

    /** Whether messages have come since the last call. */
    @Override
    boolean tellsAgain() {
        var changed = hasChanged;
        hasChanged = false;
        return changed;
    }

    /** Hands over what has come, and no more. Then stops them by the deadline; without one they stop by themselves. */
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
            member.accept(new Input.Finish()); // some wait for that
        });
        courier.sendPoisonPill();
    }

    /** Whether all that has come was handed over before the end. Called by any thread. */
    boolean hasEnded() {
        return hasEnded;
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
