package io.fibry;

import io.fibry.function.Body;
import io.fibry.internal.actor.BodyCall;
import io.fibry.internal.actor.Holdable;
import io.fibry.internal.actor.Holding;
import io.fibry.internal.clock.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Several actors for which code is run while all of them are held. {@link Actors#holding} makes it.
 *
 * <p>An actor is <i>held</i> when it has ended one message and does not begin the next one. The code runs when all the
 * actors are held, so it may use what belongs to any of them: it sees what their handlers have done, and their next
 * handlers see what the code has done. Then all of them go on. So a change of two actors is one step for everyone who
 * sends to them, without a lock:
 *
 * <pre>{@code
 * Actors.holding(List.of(from.actor(), to.actor())).execAndWait(() -> {
 *     from.withdraw(100);
 *     to.deposit(100);
 * });
 * }</pre>
 *
 * <p>Code for actors with a state gets the states: see {@link HeldPair} and {@link HeldStates}.
 *
 * <p>All code takes its actors in the same order, whatever the order in which they are named here. Nested asks
 * can wait for each other in a cycle; two such pieces of code cannot. An actor that is held, or that waits to be held,
 * takes no thread, and it takes no carrier. The code runs in one of the actors, on the strategy of that actor; it is
 * unspecified which actor that is. It may block, and it may ask actors that are not held. If it waits for one that is
 * held, the wait fails with an {@link AskCycleException}.
 *
 * <p>The code is queued in the mailbox of one actor after another, in each as soon as the previous actor is held. So it
 * runs after all messages that the caller had sent to these actors before. Messages that the caller sends to them before
 * the code has ended may be handled before it. The first mailbox takes the code as it takes a message: it may refuse it,
 * or let the caller wait for room.
 *
 * <p>There is one outcome. If the code throws, the future fails with that exception, and the exception is a failure of each
 * of the actors, whose {@link FailurePolicy} decides what follows; it is reported once. If one of the actors stops before
 * the code has begun, or is asked to exit while it is held, the code does not run, and the future fails with an {@link
 * ActorStoppedException}. If an actor does not take the code for another reason, the future fails with the exception
 * for that reason. Once the code runs, a request to exit waits for its end; a forced stop interrupts it.
 *
 * <p>If the future is cancelled, or its time is over, before the code has begun, the code does not run, and the actors go
 * on. Otherwise the code runs to its end. In the code of an actor, the time limit of the message that is being handled
 * holds for the code as well.
 *
 * <p>Objects of this class are immutable and thread-safe. What a thread does before it gives the code <i>happens-before</i>
 * the code; the end of the code <i>happens-before</i> the next message of each actor, and before the return of the
 * future's {@code get}.
 */
public final class HeldActors {
    private final List<? extends Actor<?, ?>> actors;
    private final long nanos;

    private HeldActors(List<? extends Actor<?, ?>> actors, long nanos) {
        this.actors = actors;
        this.nanos = nanos;
    }

    static HeldActors of(Collection<? extends Actor<?, ?>> actors) {
        return new HeldActors(Holdable.of(Objects.requireNonNull(actors, "actors")), Long.MAX_VALUE);
    }

    /**
     * Returns the same actors with a time limit for the wait until they are held and the code has run.
     *
     * @param timeout how long that may take, more than zero
     * @return the actors with the limit
     * @throws IllegalArgumentException if the scopes of the actors have different clocks
     */
    public HeldActors within(Duration timeout) {
        Holdable.requireOneClock(actors);
        return new HeldActors(actors, Durations.positiveNanos(timeout, "timeout"));
    }

    /**
     * Runs code while all the actors are held. This method does not wait.
     *
     * @param <T> type of the result
     * @param code the code
     * @return the result of the code; it always completes: with that result, with what the code or the making of a state
     *     throws, cancelled, or with an {@link ActorException} if the code does not run for another reason
     * @throws MailboxFullException if the mailbox of the first actor that is to be held is full and its policy is to fail
     */
    public <T extends @Nullable Object> CompletableFuture<T> execFuture(Callable<T> code) {
        return Holding.begin(actors, Objects.requireNonNull(code, "code"), code, nanos);
    }

    /**
     * Runs code while all the actors are held, and waits for its end.
     *
     * @param code the code
     * @throws ExecutionException if the code throws or does not run; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @throws AskCycleException if the calling handler is that of one of the actors, or one of them waits for it; if one
     *     begins to wait for it later, that is the cause of an {@code ExecutionException}
     * @throws MailboxFullException if the mailbox of the first actor that is to be held is full and its policy is to fail
     */
    public void execAndWait(Body code) throws ExecutionException, InterruptedException {
        Objects.requireNonNull(code, "code");
        requireNotInterrupted(this);
        Holding.begin(actors, new BodyCall(code), code, nanos).get();
    }

    /** Throws if the calling thread is interrupted: the actors would be held before the flag is checked again. */
    static void requireNotInterrupted(Object held) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before the code was given to " + held);
        }
    }

    @Override
    public String toString() {
        return "HeldActors" + actors;
    }
}
