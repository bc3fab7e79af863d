package io.fibry.work;

import io.fibry.ActorBuilder;
import io.fibry.Counters;
import io.fibry.StatefulActor;
import io.fibry.StopReport;
import io.fibry.function.ReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.message.Envelope;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An actor with a state that changes in transactions. Each message, each group of messages, and each piece of code gets a
 * copy of the state. If all of it succeeds, the copy becomes the state; if it throws, the state stays as it was, the
 * exception is a failure of the actor, and its policy decides what follows. Nothing comes between the messages of a group.
 *
 * <p>What code does elsewhere than in the copy is not undone. The copy has to be deep enough that a change of it changes
 * nothing of the state. A state that cannot be changed needs no copy: its function returns it, and the code replaces it.
 *
 * <p>Objects are thread-safe; memory effects are those of an {@link io.fibry.Actor}.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 */
public final class Transactions<S, M> implements AutoCloseable {
    private final StatefulActor<Versions<S>, M, Void> actor;
    private final StateHandler<S, M> handler;

    private Transactions(StatefulActor<Versions<S>, M, Void> actor, StateHandler<S, M> handler) {
        this.actor = actor;
        this.handler = handler;
    }

    /**
     * Makes the actor.
     *
     * @param <S> type of the state
     * @param <M> type of the messages
     * @param builder describes the actor: its name, strategy, mailbox, failure policy and hooks
     * @param initial makes the state, inside the actor, and again after a restart
     * @param copy makes a copy of the state
     * @param handler changes a copy for a message
     * @return the actor
     * @throws IllegalArgumentException if the name is taken
     * @throws IllegalStateException if the scope is closed
     */
    public static <S, M> Transactions<S, M> open(ActorBuilder builder, Supplier<? extends S> initial,
            UnaryOperator<S> copy, StateHandler<S, M> handler) {
        Objects.requireNonNull(builder, "builder");
        Objects.requireNonNull(initial, "initial");
        Objects.requireNonNull(copy, "copy");
        Objects.requireNonNull(handler, "handler");
        StatefulActor<Versions<S>, M, Void> actor = builder
                .<Versions<S>>state(
                        () -> new Versions<>(Objects.requireNonNull(initial.get(), "the state"), copy))
                .newActor((Versions<S> versions, M message) -> versions.<@Nullable Object>run(transaction -> {
                    handler.handle(transaction.state(), message);
                    return null;
                }));
        return new Transactions<>(actor, handler);
    }

    /**
     * Sends a message, which is a transaction of its own.
     *
     * @param message the message
     * @return true if it was accepted
     */
    public boolean send(M message) {
        return actor.sendMessage(message);
    }

    /**
     * Sends messages that are one transaction: all of them change the state, or none does, and nothing comes between them.
     *
     * @param messages the messages, which are copied
     * @return completes when the state has changed; fails with what the handler has thrown
     */
    public CompletableFuture<@Nullable Void> sendAll(List<? extends M> messages) {
        Objects.requireNonNull(messages, "messages")
                .forEach(message -> Objects.requireNonNull(message, "a message of the group"));
        var group = List.<M>copyOf(messages);
        return actor.execFutureWithState(new Group<>(group, handler));
    }

    /**
     * Runs code in a transaction.
     *
     * @param <T> type of the result
     * @param code the code
     * @return the result of the code, also if the code rolls back; fails with what the code throws
     */
    public <T extends @Nullable Object> CompletableFuture<T> transact(ReplyHandler<Transaction<S>, T> code) {
        Objects.requireNonNull(code, "code");
        return actor.execFutureWithState(new Code<>(code));
    }

    /**
     * Reads the state itself, without a copy. The function must not change it.
     *
     * @param <T> type of the result
     * @param function returns the result; it runs inside the actor
     * @return the result
     */
    public <T extends @Nullable Object> CompletableFuture<T> read(Function<? super S, ? extends T> function) {
        Objects.requireNonNull(function, "function");
        return actor.<T>execFutureWithState(new Reading<S, T>(function));
    }

    /**
     * Returns the name of the actor.
     *
     * @return the name
     */
    public String name() {
        return actor.name();
    }

    /**
     * Returns what became of the messages, groups and pieces of code, each of which counts as one.
     *
     * @return the numbers
     */
    public Counters counters() {
        return actor.counters();
    }

    /**
     * Stops the actor, as {@link io.fibry.Actor#stop} does.
     *
     * @param deadline how long it may take for what is queued; not negative
     * @return how the stop went
     */
    public StopReport stop(Duration deadline) {
        return actor.stop(deadline);
    }

    /**
     * Returns a future of the end of the actor.
     *
     * @return the future of the report
     */
    public CompletableFuture<StopReport> onStopped() {
        return actor.onStopped();
    }

    /** Stops the actor as {@link io.fibry.Actor#close} does. */
    @Override
    public void close() {
        actor.close();
    }

    @Override
    public String toString() {
        return "Transactions[" + name() + "]";
    }

    // ---- Inside the actor. ----

    /** The state, which each transaction that succeeds replaces. */
    private static final class Versions<S> {
        private final UnaryOperator<S> copy;
        private S state;

        Versions(S state, UnaryOperator<S> copy) {
            this.state = state;
            this.copy = copy;
        }

        <T extends @Nullable Object> T run(ReplyHandler<Transaction<S>, T> code) throws Exception {
            var transaction = new Copy<>(Objects.requireNonNull(copy.apply(state), "the copy of the state"));
            T result;
            try {
                result = code.handle(transaction);
            } finally {
                transaction.isOver = true;
            }
            if (!transaction.isRolledBack) {
                state = transaction.state;
            }
            return result;
        }
    }

    private static final class Copy<S> implements Transaction<S> {
        private S state;
        private boolean isRolledBack;
        private boolean isOver;

        Copy(S state) {
            this.state = state;
        }

        private void check() {
            if (isOver) {
                throw new IllegalStateException("the transaction is over: use it in its code only");
            }
        }

        @Override
        public S state() {
            check();
            return state;
        }

        @Override
        public void replace(S next) {
            check();
            state = Objects.requireNonNull(next, "state");
        }

        @Override
        public void rollBack() {
            check();
            isRolledBack = true;
        }
    }

    /** The messages of a group: reports name the class of the one that is being handled, or of the first one. */
    private static final class Group<S, M> implements ReplyHandler<Versions<S>, @Nullable Void>, Envelope {
        private final List<M> messages;
        private final StateHandler<S, M> handler;
        private int next;

        Group(List<M> messages, StateHandler<S, M> handler) {
            this.messages = messages;
            this.handler = handler;
        }

        @Override
        public @Nullable Void handle(Versions<S> versions) throws Exception {
            return versions.<@Nullable Void>run(transaction -> {
                for (int i = 0; i < messages.size(); i++) {
                    next = i;
                    handler.handle(transaction.state(), messages.get(i));
                }
                return null;
            });
        }

        @Override
        public Object content() {
            return messages.isEmpty() ? messages : messages.get(next);
        }

        @Override
        public Optional<String> about() {
            return Optional.of("message " + (next + 1) + " of a group of " + messages.size());
        }
    }

    /** The code of a transaction: reports name its class. */
    private record Code<S, T extends @Nullable Object>(
            ReplyHandler<Transaction<S>, T> content) implements ReplyHandler<Versions<S>, T>, Envelope {
        @Override
        public T handle(Versions<S> versions) throws Exception {
            return versions.run(content);
        }
    }

    /** A function that reads the state: reports name its class. */
    private record Reading<S, T extends @Nullable Object>(
            Function<? super S, ? extends T> content) implements ReplyHandler<Versions<S>, T>, Envelope {
        @Override
        public T handle(Versions<S> versions) {
            return content.apply(versions.state);
        }
    }
}
