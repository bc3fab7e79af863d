package io.fibry;

import io.fibry.internal.Builder;
import io.fibry.internal.stereotype.RunOnce;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Ready-made actors on a strategy of choice, in the root scope or another. Immutable and thread-safe.
 *
 * <pre>{@code
 * Stereotypes.fibers().runOnce(() -> System.out.println("hello")).waitForExit();
 * }</pre>
 */
public final class Stereotypes {
    private static final Stereotypes THREADS = on(CreationStrategy.threads());
    private static final Stereotypes FIBERS = on(CreationStrategy.fibers());

    private final ActorBuilder builder;

    private Stereotypes(ActorBuilder builder) {
        this.builder = builder;
    }

    /**
     * Actors on platform threads.
     *
     * @return the catalogue
     */
    public static Stereotypes threads() {
        return THREADS;
    }

    /**
     * Actors on virtual threads.
     *
     * @return the catalogue
     */
    public static Stereotypes fibers() {
        return FIBERS;
    }

    /**
     * Actors on the default strategy.
     *
     * @return the catalogue
     */
    public static Stereotypes def() {
        return with(ActorSystem.anonymous());
    }

    /**
     * Actors on a strategy.
     *
     * @param strategy the strategy
     * @return the catalogue
     */
    public static Stereotypes on(CreationStrategy strategy) {
        return with(ActorSystem.anonymous().strategy(strategy));
    }

    /**
     * Actors as a builder says: in its scope, on its strategy, with its name, mailbox and hooks.
     *
     * @param builder the builder
     * @return the catalogue
     */
    public static Stereotypes with(ActorBuilder builder) {
        return new Stereotypes(Objects.requireNonNull(builder, "builder"));
    }

    /**
     * An actor that does nothing with its messages. Code can be run inside it.
     *
     * @param <M> type of the messages
     * @param state something to keep alive with the actor; may be null
     * @return the actor
     */
    public <M> Actor<M, Void> sink(@Nullable Object state) {
        if (state == null) {
            return builder.newActor(Stereotypes::discard);
        }
        return builder.state(() -> state).newActor((kept, message) -> {
        });
    }

    private static void discard(Object message) {
        // what a sink is for
    }

    /**
     * An actor that runs a piece of code at once, and stops. If the code throws, that is a failure of the
     * actor like any other.
     *
     * @param <M> type of the messages; it handles none
     * @param body the code
     * @return the actor
     */
    public <M> Actor<M, Void> runOnce(Body body) {
        return RunOnce.start(builder, body);
    }

    /**
     * An actor that runs a piece of code at once, and stops. An exception that it throws is logged at
     * debug level only; an error is a failure of the actor like any other.
     *
     * @param <M> type of the messages; it handles none
     * @param body the code
     * @return the actor
     */
    public <M> Actor<M, Void> runOnceSilent(Body body) {
        return RunOnce.startSilent(builder, body);
    }

    /**
     * An actor that hands each message to a new actor of its own, so that they are handled at the same
     * time; so is code given to {@link Actor#execute} and its kin. Its stop waits for them, up to the stop's
     * deadline.
     *
     * @param <M> type of the messages
     * @param worker what to do with one message
     * @return the actor
     */
    public <M> Actor<M, Void> workers(Handler<M> worker) {
        return switch (builder) {
            case Builder known -> known.newWorkers(Objects.requireNonNull(worker, "worker"));
        };
    }

    /**
     * As {@link #workers}, with answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param worker what to do with one message
     * @return the actor
     */
    public <M, R extends @Nullable Object> Actor<M, R> workersWithReturn(ReplyHandler<M, R> worker) {
        return switch (builder) {
            case Builder known -> known.newWorkersWithReturn(Objects.requireNonNull(worker, "worker"));
        };
    }
}
