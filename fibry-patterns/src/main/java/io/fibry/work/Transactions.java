package io.fibry.work;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.ReplyHandler;
import io.fibry.function.StateHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An actor with a state that changes in transactions. Each message, each group of messages, and each piece of code gets a copy of
 * the state. If all of it succeeds, the copy becomes the state; if it throws, the state stays as it was, the exception is a
 * failure of the actor, and its policy decides what follows. Nothing comes between the messages of a group.
 *
 * <p>What code does elsewhere than in the copy is not undone. The copy has to be deep enough that a change of it changes nothing
 * of the state. A state that cannot be changed needs no copy: its function returns it, and the code replaces it.
 *
 * <p>Objects are thread-safe; memory effects are those of an {@link io.fibry.Actor}. Programs do not implement this interface.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 */
public interface Transactions<S, M> extends AutoCloseable {
    /**
     * Makes the actor.
     *
     * @param <S> type of the state
     * @param <M> type of the messages
     * @param scope the scope of the actor
     * @param name the name of the actor
     * @param actors changes the builder of the actor: its strategy, mailbox, failure policy and hooks
     * @param initial makes the state, inside the actor, and again after a restart
     * @param copy makes a copy of the state
     * @param handler changes a copy for a message
     * @return the actor
     * @throws IllegalArgumentException if the name is blank or taken
     * @throws IllegalStateException if the scope is closed
     */
    static <S, M> Transactions<S, M> open(ActorScope scope, String name, UnaryOperator<ActorBuilder> actors,
            Supplier<? extends S> initial, UnaryOperator<S> copy, StateHandler<S, M> handler) {
        return TransactionActor.open(scope, name, actors, initial, copy, handler);
    }

    /**
     * Makes the actor with the defaults of the scope.
     *
     * @param <S> type of the state
     * @param <M> type of the messages
     * @param scope the scope of the actor
     * @param name the name of the actor
     * @param initial makes the state, inside the actor, and again after a restart
     * @param copy makes a copy of the state
     * @param handler changes a copy for a message
     * @return the actor
     * @throws IllegalArgumentException if the name is blank or taken
     * @throws IllegalStateException if the scope is closed
     */
    static <S, M> Transactions<S, M> open(ActorScope scope, String name, Supplier<? extends S> initial,
            UnaryOperator<S> copy, StateHandler<S, M> handler) {
        return open(scope, name, UnaryOperator.identity(), initial, copy, handler);
    }

    /**
     * Sends a message, which is a transaction of its own.
     *
     * @param message the message
     * @return true if it was accepted
     */
    boolean send(M message);

    /**
     * Sends messages that are one transaction: all of them change the state, or none does, and nothing comes between them.
     *
     * @param messages the messages, which are copied
     * @return completes when the state has changed; fails with what the handler has thrown
     */
    CompletableFuture<@Nullable Void> sendAll(List<? extends M> messages);

    /**
     * Runs code in a transaction.
     *
     * @param <T> type of the result
     * @param code the code
     * @return the result of the code, also if the code rolls back; fails with what the code throws
     */
    <T extends @Nullable Object> CompletableFuture<T> transact(ReplyHandler<Transaction<S>, T> code);

    /**
     * Reads the state itself, without a copy. The function must not change it.
     *
     * @param <T> type of the result
     * @param function returns the result; it runs inside the actor
     * @return the result
     */
    <T extends @Nullable Object> CompletableFuture<T> read(Function<? super S, ? extends T> function);

    /**
     * Returns the name of the actor.
     *
     * @return the name
     */
    String name();

    /**
     * Returns what became of the messages, groups and pieces of code, each of which counts as one.
     *
     * @return the numbers
     */
    Counters counters();

    /**
     * Stops the actor, as {@link io.fibry.Actor#stop} does.
     *
     * @param deadline how long it may take for what is queued; not negative
     * @return how the stop went
     */
    StopReport stop(Duration deadline);

    /**
     * Returns a future of the end of the actor.
     *
     * @return the future of the report
     */
    CompletableFuture<StopReport> onStopped();

    /** Stops the actor as {@link io.fibry.Actor#close} does. */
    @Override
    void close();
}
