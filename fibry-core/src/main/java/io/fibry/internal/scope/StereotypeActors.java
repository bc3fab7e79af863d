package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ReceivingContext;
import io.fibry.SharedMailbox;
import io.fibry.function.Body;
import io.fibry.function.ContextStateHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Handle;
import io.fibry.internal.actor.ShownAs;
import io.fibry.keyed.KeyedActors;
import io.fibry.keyed.KeyedOptions;
import io.fibry.keyed.StatefulKeyedActors;
import io.fibry.time.TimeSource;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes the actors of the stereotypes, as a builder says: workers, actors with a rate, actors by key and others. */
public final class StereotypeActors {
    private final Builder builder;
    private final ActorSpec spec;

    private StereotypeActors(Builder builder) {
        this.builder = builder;
        spec = builder.spec();
    }

    /**
     * Returns the actors that a builder can make.
     *
     * @param builder a builder that came from a scope or from another builder
     * @return the actors
     */
    public static StereotypeActors of(ActorBuilder builder) {
        return new StereotypeActors(Builder.of(builder));
    }

    /**
     * Returns the clock and the timers of the actors.
     *
     * @return the scope's time
     */
    public TimeSource time() {
        return spec.scope().time();
    }

    /**
     * Makes an actor that runs a piece of code and then stops.
     *
     * @param <M> type of the messages; it handles none
     * @param body the code
     * @return the actor
     */
    public <M> Actor<M, Void> newRunOnce(Body body) {
        return builder.newBody(new OneBody<M>(Objects.requireNonNull(body, "body")), false);
    }

    private record OneBody<M>(Body body) implements Handler<ReceivingContext<M>>, ShownAs {
        @Override
        public void handle(ReceivingContext<M> context) throws Exception {
            body.run();
        }

        @Override
        public Object code() {
            return body;
        }
    }

    /**
     * Makes an actor that gives each message to a new actor.
     *
     * @param <M> type of the messages
     * @param worker what to do with one message
     * @return the actor
     */
    public <M> Actor<M, Void> newWorkers(Handler<M> worker) {
        return workers(Behaviors.handler(worker));
    }

    /**
     * Makes an actor that gives each message to a new actor, which answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param worker what to do with one message
     * @return the actor
     */
    public <M, R extends @Nullable Object> Actor<M, R> newWorkersWithReturn(ReplyHandler<M, R> worker) {
        return workers(Behaviors.replying(worker));
    }

    /**
     * Returns actors by key. The actor of a key is made when the first message of this key comes.
     *
     * @param <K> type of the keys
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param options how long actors live without messages, and how many may live at a time
     * @param keyOf returns the key of a message
     * @param factory makes the handler of a key; the handler takes a context
     * @return the actors
     */
    public <K, M, R extends @Nullable Object> KeyedActors<K, M, R> newKeyed(KeyedOptions options,
            Function<? super M, ? extends K> keyOf, Function<? super K, ?> factory) {
        return Scope.of(spec).wiring().newKeyed(spec, options, keyOf, factory);
    }

    /**
     * Returns actors by key, each with a state. The actor of a key is made when the first message of this key comes.
     *
     * @param <K> type of the keys
     * @param <S> type of the states
     * @param <M> type of the messages
     * @param options how long actors live without messages, and how many may live at a time
     * @param keyOf returns the key of a message
     * @param state makes the state of a key
     * @param handler handles a message
     * @return the actors
     */
    public <K, S, M> StatefulKeyedActors<K, S, M, Void> newKeyed(KeyedOptions options,
            Function<? super M, ? extends K> keyOf, Function<? super K, ? extends S> state,
            ContextStateHandler<S, M> handler) {
        return newKeyed(options, keyOf, state, StatefulBehavior.telling(State.<S>ofNobody(), handler));
    }

    /**
     * Returns actors by key, each with a state, which answer.
     *
     * @param <K> type of the keys
     * @param <S> type of the states
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param options how long actors live without messages, and how many may live at a time
     * @param keyOf returns the key of a message
     * @param state makes the state of a key
     * @param handler handles a message
     * @return the actors
     */
    public <K, S, M, R extends @Nullable Object> StatefulKeyedActors<K, S, M, R> newKeyedWithReturn(
            KeyedOptions options, Function<? super M, ? extends K> keyOf,
            Function<? super K, ? extends S> state, ContextStateReplyHandler<S, M, R> handler) {
        return newKeyed(options, keyOf, state, StatefulBehavior.replying(State.<S>ofNobody(), handler));
    }

    private <K, S, M, R extends @Nullable Object> StatefulKeyedActors<K, S, M, R> newKeyed(
            KeyedOptions options, Function<? super M, ? extends K> keyOf,
            Function<? super K, ? extends S> state, StatefulBehavior<S> pattern) {
        return Scope.of(spec).wiring().newKeyedWithState(spec, options, keyOf,
                new StatesOfKeys<K, S>(state, pattern));
    }

    /**
     * Makes a mailbox that several actors share, with the bounded mailbox of this builder.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @return the mailbox
     */
    public <M, R extends @Nullable Object> SharedMailbox<M, R> newSharedMailbox() {
        return SharedMailboxHandle.of(spec);
    }

    private <M, R extends @Nullable Object> Actor<M, R> workers(Behavior worker) {
        Setting.refuse(spec, Setting.Form.WORKERS);
        var workers = new WorkersBehavior(spec, worker);
        return make(builder.withoutInterceptors(), workers);
    }

    /**
     * Makes the actor that starts the workers. If that fails this method closes the scope of the workers, since no
     * actor would.
     */
    private static <M, R extends @Nullable Object> Actor<M, R> make(Builder master, WorkersBehavior workers) {
        Handle<M, R> made;
        try {
            made = master.make((Behavior) workers);
        } catch (Throwable notMade) {
            workers.close();
            throw notMade;
        }
        return made.closeOnExit(workers);
    }
}
