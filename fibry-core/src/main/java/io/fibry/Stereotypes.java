package io.fibry;

import io.fibry.function.Body;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.scope.Builder;
import io.fibry.internal.stereotype.RunOnce;
import io.fibry.keyed.KeyedActors;
import io.fibry.keyed.KeyedOptions;
import io.fibry.time.RateLimit;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Ready-made actors on a strategy of choice, in the root scope or another. Immutable and thread-safe.
 *
 * <pre>{@code
 * Stereotypes.fibers().runOnce(() -> System.out.println("hello")).waitForExit();
 * }</pre>
 */
public final class Stereotypes extends ServerStereotypes {
    private static final Duration KEPT_IDLE = Duration.ofMinutes(5);
    private static final Stereotypes THREADS = on(CreationStrategy.threads());
    private static final Stereotypes FIBERS = on(CreationStrategy.fibers());

    private Stereotypes(ActorBuilder builder) {
        super(builder);
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
        return Builder.of(builder).newWorkers(Objects.requireNonNull(worker, "worker"));
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
        return Builder.of(builder).newWorkersWithReturn(Objects.requireNonNull(worker, "worker"));
    }

    /**
     * An actor that handles no more messages than a limit allows; the others wait in its mailbox, whose bound and policy
     * say what becomes of too many. While it waits for the time of its next message it holds the thread of its turn,
     * which on fibers costs little; without messages it holds none. A forced stop interrupts that wait.
     *
     * @param <M> type of the messages
     * @param limit how often
     * @param handler what it does with a message
     * @return the actor
     */
    public <M> Actor<M, Void> rateLimited(RateLimit limit, Handler<M> handler) {
        return Builder.of(builder).newRateLimited(Objects.requireNonNull(limit, "limit"), handler);
    }

    /**
     * As {@link #rateLimited}, with answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param limit how often
     * @param handler what it does with a message
     * @return the actor
     */
    public <M, R extends @Nullable Object> Actor<M, R> rateLimitedWithReturn(RateLimit limit,
            ReplyHandler<M, R> handler) {
        return Builder.of(builder).newRateLimitedWithReturn(Objects.requireNonNull(limit, "limit"), handler);
    }

    /**
     * As {@link #workers}, but only so many work at a time, and only so many messages wait for them, which holds no thread.
     * One message more is refused at once: {@code sendMessage} returns false, an ask fails with a
     * {@link MailboxFullException}.
     *
     * @param <M> type of the messages
     * @param workers how many work at a time, at least one
     * @param waiting how many messages may wait, zero or more
     * @param worker what to do with one message
     * @return the actor
     */
    public <M> Actor<M, Void> boundedWorkers(int workers, int waiting, Handler<M> worker) {
        return Builder.of(builder).newBoundedWorkers(workers, waiting,
                Objects.requireNonNull(worker, "worker"));
    }

    /**
     * A bulkhead with the builder's name: lets only so many calls at a time to something that stands no more. It is no
     * actor. Calls are made on their callers' threads, whatever the strategy; it takes up no name and nothing has to stop
     * it. Actors of one catalogue or of many may share it.
     *
     * <pre>{@code
     * var database = Stereotypes.with(scope.named("database")).bulkhead(8, 100);
     * var users = scope.anonymous().newActorWithReturn((Long id) -> database.call(() -> load(id)));
     * }</pre>
     *
     * @param calls how many calls may be made at a time, at least one
     * @param waiting how many may wait, zero or more; one more is refused with a {@link BulkheadFullException}
     * @return the bulkhead
     */
    public Bulkhead bulkhead(int calls, int waiting) {
        return Builder.of(builder).newBulkhead(calls, waiting);
    }

    /**
     * An actor for each key. It is made when a message with its key comes, and stops when it has had none for five
     * minutes.
     *
     * <pre>{@code
     * var accounts = Stereotypes.def().keyed(Booking::account, account -> {
     *     var ledger = new Ledger(account);
     *     return (context, booking) -> ledger.add(booking);
     * });
     * accounts.sendMessage(new Booking("4711", 100));
     * }</pre>
     *
     * @param <K> type of the keys
     * @param <M> type of the messages
     * @param keyOf the key of a message; called by its sender
     * @param factory makes the handler of a key, inside the new actor; if the handler is {@link AutoCloseable} it is closed
     *        when that stops
     * @return the way to the actors; it ends with the scope
     */
    public <K, M> KeyedActors<K, M, Void> keyed(Function<? super M, ? extends K> keyOf,
            Function<? super K, ? extends ContextHandler<M>> factory) {
        return keyed(KeyedOptions.idle(KEPT_IDLE), keyOf, factory);
    }

    /**
     * As {@link #keyed(Function, Function)}, with options.
     *
     * @param <K> type of the keys
     * @param <M> type of the messages
     * @param options how long the actors stay, and how many there may be
     * @param keyOf the key of a message; called by its sender
     * @param factory makes the handler of a key
     * @return the way to the actors
     */
    public <K, M> KeyedActors<K, M, Void> keyed(KeyedOptions options, Function<? super M, ? extends K> keyOf,
            Function<? super K, ? extends ContextHandler<M>> factory) {
        return Builder.of(builder).newKeyed(options, keyOf, factory);
    }

    /**
     * As {@link #keyed(KeyedOptions, Function, Function)}, with answers.
     *
     * @param <K> type of the keys
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param options how long the actors stay, and how many there may be
     * @param keyOf the key of a message; called by its sender
     * @param factory makes the handler of a key
     * @return the way to the actors
     */
    public <K, M, R extends @Nullable Object> KeyedActors<K, M, R> keyedWithReturn(KeyedOptions options,
            Function<? super M, ? extends K> keyOf,
            Function<? super K, ? extends ContextReplyHandler<M, R>> factory) {
        return Builder.of(builder).newKeyed(options, keyOf, factory);
    }

    /**
     * As {@link #boundedWorkers}, with answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param workers how many work at a time, at least one
     * @param waiting how many messages may wait, zero or more
     * @param worker what to do with one message
     * @return the actor
     */
    public <M, R extends @Nullable Object> Actor<M, R> boundedWorkersWithReturn(int workers, int waiting,
            ReplyHandler<M, R> worker) {
        return Builder.of(builder).newBoundedWorkersWithReturn(workers, waiting,
                Objects.requireNonNull(worker, "worker"));
    }
}
