package io.fibry.cluster;

import io.fibry.Actor;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import io.fibry.internal.clock.Durations;
import io.fibry.message.MessageFate;
import io.fibry.topic.Publication;
import io.fibry.topic.SubscriberOptions;
import io.fibry.topic.Subscription;
import io.fibry.topic.Topic;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A topic of this node to which other nodes publish as well, and from which messages go to them. */
final class SharedTopic<M> implements Topic<M> {
    private final Topic<M> here;
    private final GroupCodec<?, M, ?> codec;
    private final TopicSender others;
    private final UnaryOperator<Duration> ending;

    SharedTopic(Topic<M> here, GroupCodec<?, M, ?> codec, TopicSender others,
            UnaryOperator<Duration> ending) {
        this.here = here;
        this.codec = codec;
        this.others = others;
        this.ending = ending;
    }

    @Override
    public String name() {
        return here.name();
    }

    @Override
    public int publish(M message) {
        // What cannot cross fails here, before a subscriber has it.
        var there = others.publish(message, codec.bytes(Objects.requireNonNull(message, "message")));
        return here.publish(message) + there;
    }

    @Override
    public CompletableFuture<Publication> publishTracked(M message) {
        var bytes = codec.bytes(Objects.requireNonNull(message, "message"));
        var all = others.publishTracked(message, bytes);
        return joined(all, here.publishTracked(message));
    }

    @Override
    public Publication publishAndWait(M message) throws InterruptedException {
        var bytes = codec.bytes(Objects.requireNonNull(message, "message"));
        var all = others.publishTracked(message, bytes);
        var mine = here.publishAndWait(message);
        var known = new LinkedHashMap<>(mine.fates());
        for (var each : all.entrySet()) {
            try {
                add(known, each.getKey(), each.getValue().get(), null);
            } catch (ExecutionException failed) {
                add(known, each.getKey(), null, failed.getCause());
            }
        }
        return new Publication(name(), known);
    }

    private CompletableFuture<Publication> joined(
            Map<ClusterNode, CompletableFuture<AnswerBody.Fates>> others,
            CompletableFuture<Publication> mine) {
        var result = mine.thenApply(publication -> new LinkedHashMap<>(publication.fates()));
        for (var each : others.entrySet()) {
            var told = each.getValue().handle((body, failure) -> {
                var fates = new LinkedHashMap<String, MessageFate>();
                add(fates, each.getKey(), body, failure);
                return fates;
            });
            result = result.thenCombine(told, (known, more) -> {
                known.putAll(more);
                return known;
            });
        }
        return result.thenApply(known -> new Publication(name(), known));
    }

    /** Adds what a node has told, or that it has told nothing. */
    private static void add(Map<String, MessageFate> known, ClusterNode node, AnswerBody.@Nullable Fates body,
            @Nullable Throwable failure) {
        if (body != null) {
            body.fates().forEach((subscriber, fate) -> known.put(node.name() + "/" + subscriber, fate));
        } else {
            var cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
            known.put(node.name(), new MessageFate.Failed(Objects.requireNonNull(cause)));
        }
    }

    @Override
    public Subscription subscribe(SubscriberOptions options, Handler<? super M> handler) {
        return here.subscribe(options, handler);
    }

    @Override
    public Subscription subscribe(SubscriberOptions options, Actor<? super M, ?> actor) {
        return here.subscribe(options, actor);
    }

    @Override
    public int subscribers() {
        return here.subscribers() + others.subscribers();
    }

    @Override
    public Optional<M> last() {
        return here.last();
    }

    @Override
    public Counters counters() {
        return here.counters();
    }

    @Override
    public StopReport stop(Duration deadline) {
        var unused = Durations.nanos(deadline, "deadline"); // before anything is done
        others.close();
        return here.stop(ending.apply(deadline));
    }

    @Override
    public void close() {
        var unused = stop(others.cluster.scope.closeTimeout());
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return here.onStopped();
    }

    @Override
    public String toString() {
        return "SharedTopic[" + name() + ", subscribers=" + subscribers() + ", here=" + here.subscribers()
                + "]";
    }
}
