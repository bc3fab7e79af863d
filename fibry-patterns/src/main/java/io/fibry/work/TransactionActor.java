package io.fibry.work;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
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

/** The actor of a state that changes in transactions. */
final class TransactionActor<S, M> implements Transactions<S, M> {
    private final StatefulActor<Versions<S>, M, Void> actor;
    private final StateHandler<S, M> handler;

    private TransactionActor(StatefulActor<Versions<S>, M, Void> actor, StateHandler<S, M> handler) {
        this.actor = actor;
        this.handler = handler;
    }

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

    static <S, M> TransactionActor<S, M> open(ActorScope scope, String name,
            UnaryOperator<ActorBuilder> actors, Supplier<? extends S> initial, UnaryOperator<S> copy,
            StateHandler<S, M> handler) {
        Objects.requireNonNull(initial, "initial");
        Objects.requireNonNull(copy, "copy");
        Objects.requireNonNull(handler, "handler");
        var builder = Objects.requireNonNull(actors, "actors")
                .apply(Objects.requireNonNull(scope, "scope").named(Objects.requireNonNull(name, "name")));
        StatefulActor<Versions<S>, M, Void> actor = builder
                .<Versions<S>>state(
                        () -> new Versions<>(Objects.requireNonNull(initial.get(), "the state"), copy))
                .newActor((Versions<S> versions, M message) -> versions.<@Nullable Object>run(transaction -> {
                    handler.handle(transaction.state(), message);
                    return null;
                }));
        return new TransactionActor<>(actor, handler);
    }

    @Override
    public boolean send(M message) {
        return actor.sendMessage(message);
    }

    @Override
    public CompletableFuture<@Nullable Void> sendAll(List<? extends M> messages) {
        Objects.requireNonNull(messages, "messages")
                .forEach(message -> Objects.requireNonNull(message, "a message of the group"));
        var group = List.<M>copyOf(messages);
        return actor.execFutureWithState(new Group<>(group, handler));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> transact(ReplyHandler<Transaction<S>, T> code) {
        Objects.requireNonNull(code, "code");
        return actor.execFutureWithState(new Code<>(code));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> read(Function<? super S, ? extends T> function) {
        Objects.requireNonNull(function, "function");
        return actor.<T>execFutureWithState(new Reading<S, T>(function));
    }

    @Override
    public String name() {
        return actor.name();
    }

    @Override
    public Counters counters() {
        return actor.counters();
    }

    @Override
    public StopReport stop(Duration deadline) {
        return actor.stop(deadline);
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return actor.onStopped();
    }

    @Override
    public void close() {
        actor.close();
    }

    @Override
    public String toString() {
        return "Transactions[" + name() + "]";
    }
}
