package io.fibry;

import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.actor.Holdable;
import io.fibry.internal.actor.Holding;
import io.fibry.internal.clock.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Several actors with states of one type, for which code is run with all states while all actors are held. {@link
 * Actors#holdingStates} makes it. {@link HeldActors} describes what it means that actors are held, when the code runs,
 * and how it can fail; all of that holds here.
 *
 * <p>The code gets the states in the order in which the actors were given. The list cannot be changed.
 *
 * <p>Objects of this class are immutable and thread-safe.
 *
 * @param <S> type of the states
 */
public final class HeldStates<S> {
    private final List<? extends Actor<?, ?>> actors;
    private final long nanos;

    private HeldStates(List<? extends Actor<?, ?>> actors, long nanos) {
        this.actors = actors;
        this.nanos = nanos;
    }

    static <S> HeldStates<S> of(Collection<? extends StatefulActor<S, ?, ?>> actors) {
        return new HeldStates<>(Holdable.withStates(Objects.requireNonNull(actors, "actors")),
                Long.MAX_VALUE);
    }

    /**
     * Returns the same actors with a time limit for the wait until they are held and the code has run.
     *
     * @param timeout how long that may take, more than zero
     * @return the actors with the limit
     * @throws IllegalArgumentException if the scopes of the actors have different clocks
     */
    public HeldStates<S> within(Duration timeout) {
        Holdable.requireOneClock(actors);
        return new HeldStates<>(actors, Durations.positiveNanos(timeout, "timeout"));
    }

    /**
     * Runs code with the states while all the actors are held. This method does not wait.
     *
     * @param <T> type of the result
     * @param code the code
     * @return the result of the code; it always completes: with that result, with what the code or the making of a state
     *     throws, cancelled, or with an {@link ActorException} if the code does not run for another reason
     * @throws MailboxFullException if the mailbox of the first actor that is to be held is full and its policy is to fail
     */
    public <T extends @Nullable Object> CompletableFuture<T> execFuture(ReplyHandler<List<S>, T> code) {
        return Holding.beginWithStates(actors, new Call<>(Objects.requireNonNull(code, "code")), code, nanos);
    }

    /**
     * Runs code with the states while all the actors are held, and waits for its end.
     *
     * @param code the code
     * @throws ExecutionException if the code throws or does not run; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @throws AskCycleException if the calling handler is that of one of the actors, or one of them waits for it; if one
     *     begins to wait for it later, that is the cause of an {@code ExecutionException}
     * @throws MailboxFullException if the mailbox of the first actor that is to be held is full and its policy is to fail
     */
    public void execAndWait(Handler<List<S>> code) throws ExecutionException, InterruptedException {
        var run = new Run<>(Objects.requireNonNull(code, "code"));
        HeldActors.requireNotInterrupted(this);
        Holding.beginWithStates(actors, run, code, nanos).get();
    }

    @SuppressWarnings("unchecked") // the states are those of the actors
    private record Call<S, T extends @Nullable Object>(ReplyHandler<List<S>, T> code)
            implements
                ReplyHandler<List<Object>, T> {
        @Override
        public T handle(List<Object> states) throws Exception {
            return code.handle((List<S>) states);
        }
    }

    @SuppressWarnings("unchecked") // the states are those of the actors
    private record Run<S>(Handler<List<S>> code) implements ReplyHandler<List<Object>, @Nullable Object> {
        @Override
        public @Nullable Object handle(List<Object> states) throws Exception {
            code.handle((List<S>) states);
            return null;
        }
    }

    @Override
    public String toString() {
        return "HeldStates" + actors;
    }
}
