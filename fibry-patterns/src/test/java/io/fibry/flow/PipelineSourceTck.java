package io.fibry.flow;

import io.fibry.ActorScope;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** The kit on the subscriber that a pipeline over a publisher is: what has come to its consumer, and its end, are what it has got. */
public final class PipelineSourceTck extends SubscriberWhiteboxTck {
    @Override
    Subject subject(ActorScope in, String name, Consumer<Integer> values) {
        var subscribed = new AtomicReference<Flow.Subscriber<? super Integer>>();
        Flow.Publisher<Integer> publisher = subscribed::set;
        var run = Flows.pipeline(in, name, publisher).forEach(values::accept, StageOptions.usual());
        return new Subject(Objects.requireNonNull(subscribed.get(), "subscriber"), run::cancel, run.result());
    }
}
