package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.function.Handler;
/** A publisher that runs a producer for each subscriber. */
final class GeneratedPublisher<T> extends ScopedPublisher<T> {
    private final Handler<GeneratorOutput<T>> body;

    GeneratedPublisher(ActorScope parent, String name, FlowOptions options,
            Handler<GeneratorOutput<T>> body) {
        super(parent, name, options);
        this.body = body;
    }

    @Override
    ValueOrigin<T> connect(Emission<T> emission) {
        var production = new Production<T>(name(), 1, options().capacity(), emission::wake, () -> {
        });
        return new ValueOrigin<>(production.reader(), () -> production.start(producer(), body));
    }
}
