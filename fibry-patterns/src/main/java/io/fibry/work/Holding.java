package io.fibry.work;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.MailboxFullException;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs code while several actors are held. An actor is <i>held</i> when it has ended one message and does not begin the
 * next one. The code runs when all the actors are held, so it may use what belongs to any of them: it sees what their
 * handlers have done, and their next handlers see what the code has done. Then all of them go on. So a change of two
 * actors is one step for everyone who sends to them, without a lock:
 *
 * <pre>{@code
 * Holding.of(ann, bob).run(held -> {
 *     held.state(ann).withdraw(100);
 *     held.state(bob).deposit(100);
 * });
 * }</pre>
 *
 * <p>The actors are taken one after another, in one order for all code, whatever the order in which they are named here.
 * Each is held from {@link Actor#hold}, and the last one runs the code; what the caller has sent to them before is handled
 * before. If the wait for an actor is part of a cycle, for instance since an actor that is held was asked by the next one,
 * all of them are let go and taken again. So no ask of others fails because of this code. The code may block, and may ask
 * actors that are not held. If it waits for one that is held, that wait fails with an {@link AskCycleException}.
 *
 * <p>There is one outcome. If the code throws, the call fails with that exception, and the exception is a failure of each of
 * the actors, whose {@link FailurePolicy} decides what follows. If one of the actors has stopped, or does not take the code
 * for another reason, the code does not run, the call fails, and the other actors go on. An actor that is asked to exit while
 * it is held goes on until the code has ended, or has not begun and never will. A forced stop of any of the actors, or an
 * interrupt of the caller, interrupts the code, or the wait for the next actor. When the call returns, the code does not run.
 *
 * <p>The code has its caller's context, as far as the actors' scopes carry it, and the time limit of the message that the
 * caller handles. Objects of this class are immutable and thread-safe. What a thread does before the call <i>happens-before</i>
 * the code; the end of the code <i>happens-before</i> the next message of each actor, and before the return of the call.
 */
public final class Holding {
    static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    private final List<Actor<?, ?>> actors;
    private final Optional<Duration> limit;

    private Holding(List<Actor<?, ?>> actors, Optional<Duration> limit) {
        this.actors = actors;
        this.limit = limit;
    }

    /**
     * Names the actors to hold.
     *
     * @param actors the actors, at least one; an actor that is named twice is held once
     * @return the actors
     */
    public static Holding of(Actor<?, ?>... actors) {
        return of(List.of(Objects.requireNonNull(actors, "actors")));
    }

    /**
     * Names the actors to hold.
     *
     * @param actors the actors, at least one; an actor that is named twice is held once
     * @return the actors
     */
    public static Holding of(Collection<? extends Actor<?, ?>> actors) {
        var each = Collections.<Actor<?, ?>>newSetFromMap(
                new IdentityHashMap<>(Objects.requireNonNull(actors, "actors").size()));
        for (var actor : actors) {
            each.add(Objects.requireNonNull(actor, "actor"));
        }
        if (each.isEmpty()) {
            throw new IllegalArgumentException("at least one actor has to be named");
        }
        var inOrder = new ArrayList<>(each);
        // Two actors may have one hash. Two pieces of code may then take them in different orders, and one of them tries again.
        inOrder.sort(Comparator.comparingInt(System::identityHashCode));
        return new Holding(List.copyOf(inOrder), Optional.empty());
    }

    /**
     * Returns the same actors with a time limit until the code begins. Code that has begun runs to its end.
     *
     * @param timeout how long it may take until all are held, more than zero
     * @return the actors with the limit
     */
    public Holding within(Duration timeout) {
        if (Objects.requireNonNull(timeout, "timeout").isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout must be more than zero: " + timeout);
        }
        return new Holding(actors, Optional.of(timeout));
    }

    /**
     * Runs code while the actors are held, and waits for its end.
     *
     * @param code the code
     * @throws ExecutionException if the code throws or does not run; its cause is the reason, after the time limit it is an
     *     {@link AskTimeoutException}
     * @throws InterruptedException if the calling thread was interrupted before the code had begun
     * @throws AskCycleException if the calling handler is that of one of the actors, or one of them waits for it
     * @throws IllegalArgumentException if the first of the actors cannot be held; if another one cannot, this is the
     *     cause of an {@code ExecutionException}
     * @throws MailboxFullException as for {@code IllegalArgumentException}, if a mailbox is full and its policy is to fail
     */
    public void run(Handler<Held> code) throws ExecutionException, InterruptedException {
        Objects.requireNonNull(code, "code");
        this.<@Nullable Void>call(held -> {
            code.handle(held);
            return null;
        }, code);
    }

    /**
     * Runs code while the actors are held, and waits for its result.
     *
     * @param <T> type of the result
     * @param code the code
     * @return what the code returns
     * @throws ExecutionException as for {@link #run}
     * @throws InterruptedException as for {@link #run}
     * @throws AskCycleException as for {@link #run}
     * @throws IllegalArgumentException as for {@link #run}
     * @throws MailboxFullException as for {@link #run}
     */
    public <T extends @Nullable Object> T call(ReplyHandler<Held, T> code)
            throws ExecutionException, InterruptedException {
        return call(Objects.requireNonNull(code, "code"), code);
    }

    /** As the public method; {@code shown} is the object of the user, which reports show. */
    private <T extends @Nullable Object> T call(ReplyHandler<Held, T> code, Object shown)
            throws ExecutionException, InterruptedException {
        var timeout = limit;
        for (int attempts = 1;; attempts++) {
            var attempt = new HoldAttempt<>(actors, code, shown);
            var cycle = attempt.make(timeout.orElse(FOREVER));
            if (cycle.isEmpty()) {
                return attempt.result();
            }
            var caller = ActorSystem.currentActor();
            // The others of the cycle go on now. If the caller is one of them, it cannot do so before it has given up.
            if (caller.isPresent() && cycle.get().actors().contains(caller.get())) {
                throw new AskCycleException(
                        "actor '" + caller.get() + "' waits for code that holds " + names()
                                + ", which cannot begin: " + cycle.get().getMessage(),
                        cycle.get().actors());
            }
            timeout = timeout.map(before -> attempt.timeLeft().orElse(before));
            if (attempts > 1) { // the cycle may last: the actor is free when it has ended its message
                var alone = new HoldAttempt<>(List.of(actors.get(attempt.tried)), held -> true, shown);
                if (alone.make(timeout.orElse(FOREVER)).isEmpty() && alone.result()) {
                    timeout = timeout.map(before -> alone.timeLeft().orElse(before));
                }
            }
        }
    }

    private String names() {
        return actors.stream().map(actor -> "'" + actor.name() + "'").collect(Collectors.joining(", "));
    }

    @Override
    public String toString() {
        return "Holding[" + names() + "]";
    }
}
