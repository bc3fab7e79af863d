package io.fibry.work;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The actors among which messages are distributed by key. */
final class BatchActors<M> implements ParallelBatches<M> {
    private final ActorScope scope;
    private final Function<? super M, ?> orderKey;
    private final List<Actor<M, Void>> actors;

    private BatchActors(ActorScope scope, Function<? super M, ?> orderKey, List<Actor<M, Void>> actors) {
        this.scope = scope;
        this.orderKey = orderKey;
        this.actors = actors;
    }

    static <M> BatchActors<M> open(ActorScope around, String name, ParallelBatchOptions<M> options,
            Handler<List<M>> handler) {
        Objects.requireNonNull(around, "scope");
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(handler, "handler");
        var scope = around.child(Objects.requireNonNull(name, "name")).open();
        try {
            var actors = new ArrayList<Actor<M, Void>>();
            for (int i = 0; i < options.parallel(); i++) {
                var builder = Objects.requireNonNull(options.actors().apply(scope.named(name + "-" + i)),
                        "the builder that ParallelBatchOptions.withActors returns");
                actors.add(builder.newBatchActor(options.batch(), handler));
            }
            return new BatchActors<>(scope, options.orderKey(), List.copyOf(actors));
        } catch (Throwable failure) {
            scope.close();
            throw failure;
        }
    }

    private Actor<M, Void> actorOf(M message) {
        var hash = Objects.requireNonNull(orderKey.apply(Objects.requireNonNull(message, "message")),
                "the key of a message").hashCode();
        return actors.get(Math.floorMod(hash ^ (hash >>> 16), actors.size()));
    }

    @Override
    public boolean send(M message) {
        return actorOf(message).sendMessage(message);
    }

    @Override
    @SuppressWarnings("unchecked") // a batch is answered with null
    public CompletableFuture<@Nullable Void> process(M message) {
        return (CompletableFuture<@Nullable Void>) (CompletableFuture<?>) actorOf(message)
                .sendMessageReturn(message);
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message) {
        return actorOf(message).sendTracked(message);
    }

    @Override
    public Counters counters() {
        return scope.counters();
    }

    @Override
    public StopReport stop(Duration deadline) {
        return scope.stop(deadline);
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return scope.onStopped();
    }

    @Override
    public void close() {
        scope.close();
    }

    @Override
    public String toString() {
        return "ParallelBatches[" + scope.name() + ", actors: " + actors.size() + "]";
    }
}
