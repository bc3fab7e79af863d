package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** A subscriber that sends to an actor of the program. */
final class SendingSubscriber<T> extends ActorSubscriber<T> {
    private final Actor<T, ?> actor;
    private final CompletableFuture<StopReport> stop;

    SendingSubscriber(Actor<T, ?> actor, FlowOptions options) {
        super(Objects.requireNonNull(actor, "actor").name(), options);
        this.actor = actor;
        this.stop = actor.onStopped();
        var unused = stop.thenRun(() -> cancel(Production.stopped(actor.name())));
    }

    @Override
    CompletableFuture<MessageFate> send(T value) {
        return actor.sendTracked(value);
    }

    @Override
    void complete() {
        stop.cancel(false);
    }

    private StopReport report() {
        return new StopReport(actor.name(), true, false, List.of(), actor.counters());
    }

    @Override
    public StopReport stop(Duration deadline) {
        DeadlineCheck.check(deadline);
        cancel();
        return report();
    }

    @Override
    public void close() {
        cancel();
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return onEnd().handle((nothing, failure) -> report());
    }

    @Override
    public Counters counters() {
        return actor.counters();
    }
}
