package io.fibry.cluster;

import io.fibry.cluster.LetterBody.Want;
import io.fibry.cluster.home.Fate;
import io.fibry.cluster.home.Letter;
import io.fibry.cluster.home.NodeLoad;
import io.fibry.cluster.stream.Verdict;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.clock.Durations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Sends what is published on this node to the other nodes that have the topic, once to each.
 *
 * <p>Thread-safe. The publisher's thread makes the bytes, and waits for room where the topic is to block.
 */
final class TopicSender extends LetterSender {
    private final boolean blocks;
    /** Set once, by a thread that closes the topic. */
    private volatile boolean isClosed;

    TopicSender(ClusterGroup<?, ?, ?> group, boolean blocks, JoinedCluster cluster) {
        super(group, Optional.empty(), cluster);
        this.blocks = blocks;
    }

    /** The topic of this node is closed: nothing is published any more. */
    void close() {
        isClosed = true;
    }

    /** Returns how many subscribers other nodes have told that they have. */
    int subscribers() {
        return cluster.loads.loads(name()).values().stream().mapToInt(NodeLoad::size).sum();
    }

    /** Publishes a message on all other nodes; returns how many subscribers are to get it. */
    int publish(Object message, byte[] bytes) {
        var to = new AtomicInteger();
        var loads = cluster.loads.loads(name());
        giveAll(Want.TELL, message, bytes, outgoing -> {
            if (give(outgoing)) {
                to.addAndGet(loads.getOrDefault(node(outgoing).incarnation(), NodeLoad.NONE).size());
            } else {
                tellRefused(outgoing, Cause.NOT_SERVED);
            }
        }, (outgoing, cause) -> {
        });
        return to.get();
    }

    /** Publishes a message on all other nodes; returns what each of them tells of its subscribers. */
    Map<ClusterNode, CompletableFuture<AnswerBody.Fates>> publishTracked(Object message, byte[] bytes) {
        var told = new LinkedHashMap<ClusterNode, CompletableFuture<AnswerBody.Fates>>();
        giveAll(Want.ANSWER, message, bytes,
                outgoing -> told.put(node(outgoing), giveAsk(outgoing, cluster.options.askLimit())
                        .thenApply(AnswerBody.Fates.class::cast)),
                (outgoing, cause) -> told.put(node(outgoing), CompletableFuture.failedFuture(notHandled(
                        outgoing, cause, cause == Cause.NOT_SERVED ? cluster.self : node(outgoing)))));
        return told;
    }

    /** Gives a message to each node that has room for it, and then to those that get some, while the publisher waits. */
    private void giveAll(Want want, Object message, byte[] bytes, Consumer<Outgoing> way,
            BiConsumer<Outgoing, Cause> refused) {
        if (isClosed) {
            return;
        }
        if (!cluster.takes()) {
            cluster.tellNotHandled(name(), message, Cause.NOT_SERVED);
            return;
        }
        var body = new LetterBody(want, cluster.context.write(), bytes);
        var late = new ArrayList<Outgoing>();
        for (var node : cluster.loads.hosts(name())) {
            if (!node.equals(cluster.self.incarnation())) {
                var outgoing = new Outgoing(this, message, body, Letter.NO_SLICE, Optional.empty());
                outgoing.to = node;
                if (takeRoom(outgoing)) {
                    way.accept(outgoing);
                } else {
                    late.add(outgoing);
                }
            }
        }
        if (blocks) {
            awaitRoom(late, Durations.boundedNanos(cluster.options.roomLimit(), "roomLimit"), way);
        }
        for (var outgoing : late) {
            var cause = cluster.takes() ? Cause.SLOW_NODE : Cause.NOT_SERVED;
            tellRefused(outgoing, cause);
            refused.accept(outgoing, cause);
        }
    }

    private ClusterNode node(Outgoing outgoing) {
        return cluster.node(Objects.requireNonNull(outgoing.to));
    }

    // ---- What is told. ----

    @Override
    void told(Outgoing outgoing, Fate fate) {
        if (fate instanceof Fate.Refused refused && refused.why() != Verdict.NOT_UNDERSTOOD) {
            // The node has closed the topic, so it has no subscribers.
            outgoing.giveRoomBack();
            answered(outgoing, new AnswerBody.Nothing().bytes());
        } else {
            super.told(outgoing, fate);
        }
    }

    @Override
    String title() {
        return "the topic '" + name() + "'";
    }

    @Override
    String why(Outgoing outgoing, Cause cause) {
        return cause == Cause.SLOW_NODE
                ? cluster.options.sendBuffer()
                        + " bytes are underway to it, and no more may be; publish less, or set ClusterOptions.sendBuffer"
                : "it does not know the message; give the topic the same types on all nodes";
    }

    @Override
    String whatIsUncertain() {
        return "nobody knows whether its subscribers have handled it";
    }

    @Override
    Object value(AnswerBody answer) {
        return switch (answer) {
            case AnswerBody.Fates fates -> fates;
            case AnswerBody.Nothing nothing -> new AnswerBody.Fates(Map.of());
            default -> throw new IllegalStateException(answer + " is no answer of a topic");
        };
    }
}
