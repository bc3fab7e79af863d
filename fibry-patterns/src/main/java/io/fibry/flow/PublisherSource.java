package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.function.Handler;
import io.fibry.message.Envelope;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
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
    /** How many values are requested and have not come in. */
    private final AtomicLong wanted = new AtomicLong();

    /** What the publisher has called. */
    private sealed interface Step extends Envelope {
        record Value(Object content, FusedStages.Worker reader) implements Step {
            @Override
            public Optional<String> about() {
                return reader.about();
            }
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
        actor = scope.named(name).strategy(Marks.threads())
                .onExit(() -> started.failIfRunning(Production.stopped(scope.name())))
                .newActor(Handler.shownAs(started.code(publisher), (Step step) -> take(started, step)));
        publisher.subscribe(this);
    }

    private void take(PipelineCore<?> started, Step step) throws Exception {
        switch (step) {
            case Step.Value value when wanted.getAndDecrement() > 0 -> started.offer(value.content());
            case Step.Value value ->
                started.endSource(new IllegalStateException("a publisher has sent pipeline '"
                        + started.name()
                        + "' a value that was not requested (rule 1.1 of Reactive Streams)"));
            case Step.End end -> started.endSource(end.failure());
        }
    }

    private void send(Step step) {
        Objects.requireNonNull(pipeline).takeIn(Objects.requireNonNull(actor), step);
    }

    @Override
    public boolean ask(int values) {
        wanted.addAndGet(values);
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
        send(new Step.Value(Objects.requireNonNull(value, "value"),
                Objects.requireNonNull(pipeline).reader()));
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
