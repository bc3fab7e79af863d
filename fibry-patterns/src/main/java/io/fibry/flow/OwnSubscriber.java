package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A subscriber with an actor of its own, which stops with the stream. */
final class OwnSubscriber<T> extends ActorSubscriber<T> {
    private final String name;
    private @Nullable Actor<T, Void> actor;

    private OwnSubscriber(String name, FlowOptions options) {
        super(name, options);
        this.name = name;
    }

    static <T> OwnSubscriber<T> open(ActorScope scope, String name, FlowOptions options, Handler<T> handler) {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(handler, "handler");
        var subscriber = new OwnSubscriber<T>(name, options);
        subscriber.actor =
                options.actors().apply(scope.named(name)).onExit(subscriber::stopped).newActor(handler);
        return subscriber;
    }

    private Actor<T, Void> actor() {
        return Objects.requireNonNull(actor);
    }

    @Override
    CompletableFuture<MessageFate> send(T value) {
        return actor().sendTracked(value);
    }

    @Override
    void complete() {
        actor().sendPoisonPill();
    }

    private void stopped() {
        lose(Production.stopped(name));
    }

    @Override
    public StopReport stop(Duration deadline) {
        DeadlineCheck.check(deadline);
        cancel();
        return actor().stop(deadline);
    }

    @Override
    public void close() {
        cancel();
        actor().close();
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return actor().onStopped();
    }

    @Override
    public Counters counters() {
        return actor().counters();
    }
}
