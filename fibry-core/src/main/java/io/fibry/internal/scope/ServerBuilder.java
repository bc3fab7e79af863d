package io.fibry.internal.scope;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.function.Body;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.run.Strategies;
import io.fibry.time.TimeSource;
import java.time.Duration;

/** What a server takes from the builder of its actor: a scope for its other actors, the time, and strategies. */
public final class ServerBuilder {
    private final Builder builder;
    private final ActorSpec spec;

    private ServerBuilder(Builder builder) {
        this.builder = builder;
        spec = builder.spec();
    }

    /** Returns what a server takes from a builder. */
    public static ServerBuilder of(ActorBuilder builder) {
        return new ServerBuilder(Builder.of(builder).of(Setting.Form.SERVER));
    }

    /**
     * Opens a scope for the actors that do the work of one actor. They have the strategy, the mailbox and the
     * failure policy of this builder. The caller closes the scope.
     */
    public ActorScope crew(String what) {
        return Scope.of(spec).crew(spec, what);
    }

    /** Returns the clock and the timers of the actors. */
    public TimeSource time() {
        return spec.scope().time();
    }

    /** Returns the time that the actors have for their queued messages when their scope is closed. */
    public Duration closeTimeout() {
        return spec.scope().closeTimeout();
    }

    /**
     * Returns the strategy of actors that mostly wait for I/O. They do not run on a bounded pool, since they would
     * occupy its few threads while they wait.
     */
    public CreationStrategy waitingStrategy() {
        return spec.placement().boundedPool() ? Strategies.FIBERS : spec.strategy();
    }

    /**
     * Returns whether a fiber may run the code of the actors itself. This is so if the strategy is fibers or the
     * caller's thread.
     */
    public boolean runsInPlaceOnFibers() {
        return spec.strategy().equals(Strategies.FIBERS) || spec.strategy().equals(Strategies.CALLER);
    }

    /** Returns what runs pieces of work of the actors. */
    public Pieces pieces() {
        return new Pieces(spec);
    }

    /**
     * Returns a builder of the actor that stands for the server. The actor brings in work, so it is stopped first when
     * its scope is closed, unless the builder has a stop phase.
     */
    public ActorBuilder bringingInWork(Body end) {
        var first = builder.onExitFirst(end);
        return spec.stopPhase() == 0 ? first.stopPhase(-1) : first;
    }
}
