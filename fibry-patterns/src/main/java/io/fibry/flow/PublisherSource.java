package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.message.Envelope;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * A publisher, whose demand follows the room in front of the first stage. An actor of the pipeline takes its values in. A
 * publisher may call on a thread outside of the scope, and such a thread could not wake the workers of a scope that is being
 * closed. The actor can, so whatever has come in goes through.
 */
final class PublisherSource<T> implements PipelineSource, Flow.Subscriber<T> {
    private final Flow.Publisher<T> publisher;
    private final Demand demand = new Demand();

    // Set before the publisher is subscribed to.
    private @Nullable PipelineCore<?> pipeline;
    private @Nullable Actor<Step, Void> actor;

    /** What the publisher has called. */
    private sealed interface Step extends Envelope {
        record Value(Object content) implements Step {
        }

        record End(@Nullable Throwable failure) implements Step {
            @Override
            public Object content() {
                return "the end of a publisher";
            }
        }
    }

    PublisherSource(Flow.Publisher<T> publisher) {
        this.publisher = Objects.requireNonNull(publisher, "publisher");
    }

    @Override
    public void start(PipelineCore<?> started, ActorScope scope, String name) {
        pipeline = started;
        actor = scope.named(name).strategy(CreationStrategy.fibers())
                .onExit(() -> started.failIfRunning(Production.stopped(scope.name())))
                .newActor((Step step) -> {
                    switch (step) {
                        case Step.Value value -> started.offer(value.content());
                        case Step.End end -> started.endSource(end.failure());
                    }
                });
        publisher.subscribe(this);
    }

    private void send(Step step) {
        Objects.requireNonNull(pipeline).takeIn(Objects.requireNonNull(actor), step);
    }

    @Override
    public boolean ask(int values) {
        demand.request(values);
        return true;
    }

    @Override
    public void close() {
        demand.cancel();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        if (demand.begin(subscription)) {
            demand.request(0);
        } else {
            subscription.cancel();
        }
    }

    @Override
    public void onNext(T value) {
        send(new Step.Value(Objects.requireNonNull(value, "value")));
    }

    @Override
    public void onError(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        demand.end();
        send(new Step.End(failure));
    }

    @Override
    public void onComplete() {
        demand.end();
        send(new Step.End(null));
    }
}
