package io.fibry.topic;

import io.fibry.CreationStrategy;

/** Where the handlers of a topic run. */
enum Delivery {
    /** On the thread that publishes. */
    PUBLISHER,
    /** Where the strategy of the scope runs the actor of each subscriber. */
    PER_SUBSCRIBER;

    TopicOptions options() {
        var usual = TopicOptions.defaults();
        return this == PUBLISHER ? usual.withActors(actor -> actor.strategy(CreationStrategy.caller()))
                : usual;
    }
}
