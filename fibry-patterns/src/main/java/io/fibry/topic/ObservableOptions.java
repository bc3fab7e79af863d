package io.fibry.topic;

import io.fibry.ActorBuilder;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The options of something that can be observed.
 *
 * @param actors changes the builder of each actor that handles changes; its mailbox is chosen afterwards
 */
public record ObservableOptions(UnaryOperator<ActorBuilder> actors) {
    private static final ObservableOptions DEFAULTS = new ObservableOptions(UnaryOperator.identity());

    /**
     * Makes options.
     *
     * @param actors not null
     */
    public ObservableOptions {
        Objects.requireNonNull(actors, "actors");
    }

    /**
     * Returns the common options: observers are actors as the scope makes them.
     *
     * @return the options
     */
    public static ObservableOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the same options for other actors, for example on another strategy or with another failure policy. This
     * replaces an earlier call.
     *
     * @param change changes the builder of an actor
     * @return the new options
     */
    public ObservableOptions withActors(UnaryOperator<ActorBuilder> change) {
        return new ObservableOptions(change);
    }
}
