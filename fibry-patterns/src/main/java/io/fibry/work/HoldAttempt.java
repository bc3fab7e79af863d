package io.fibry.work;

import io.fibry.Actor;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.StatefulActor;
import io.fibry.function.ReplyHandler;
import io.fibry.message.Envelope;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to hold actors and to run code. Each actor that is held waits for the next one, and the last one runs the
 * code. So the attempt moves from actor to actor, and its fields are accessed by one thread at a time. If the code does
 * not run, the code of the actors that are held ends without an exception, which would be a failure of theirs.
 */
final class HoldAttempt<T extends @Nullable Object> {
    private final List<Actor<?, ?>> actors;
    private final ReplyHandler<Held, T> code;
    /** The object of the user, which reports show. */
    private final Object shown;
    private final Held held;
    private boolean hasRun;
    private @Nullable T value;
    private @Nullable Throwable thrown;
    /** Why the code does not run. */
    private @Nullable Throwable refusal;
    private boolean isInterrupted;
    /** What is left of the time limit when the code begins, or a wait has failed. The limit is that of the code in the first actor. */
    private Optional<Duration> timeLeft = Optional.empty();
    /** The number of the actor that was tried last. */
    int tried;

    HoldAttempt(List<Actor<?, ?>> actors, ReplyHandler<Held, T> code, Object shown) {
        this.actors = actors;
        this.held = new Held(actors.size());
        this.code = code;
        this.shown = shown;
    }

    /** Makes the attempt; returns the cycle because of which it has to be made again, if any. Called by the code's caller. */
    Optional<AskCycleException> make(Duration timeout) throws InterruptedException {
        try {
            hold(0, timeout);
        } catch (AskCycleException cycle) {
            return Optional.of(cycle);
        } catch (ExecutionException failed) {
            if (!hasRun) {
                refusal = failed.getCause();
            }
        }
        if (isInterrupted && Thread.interrupted()) {
            throw new InterruptedException("interrupted while actors were held, before the code had begun");
        }
        return refusal instanceof AskCycleException cycle ? Optional.of(cycle) : Optional.empty();
    }

    /** Returns what is left of the time limit for a further attempt. */
    Optional<Duration> timeLeft() {
        return timeLeft.map(left -> left.isZero() ? Duration.ofNanos(1) : left);
    }

    @SuppressWarnings("NullAway") // the value is null only if T may be
    T result() throws ExecutionException {
        var failure = hasRun ? thrown : refusal;
        if (failure != null) {
            throw new ExecutionException(failure);
        }
        return value;
    }

    /** Holds the actor with this number, and with it those that follow. */
    private void hold(int number, Duration timeout) throws ExecutionException, InterruptedException {
        tried = number;
        var actor = actors.get(number);
        if (actor instanceof StatefulActor<?, ?, ?> stateful && stateful.hasState()) {
            holdWithState(number, stateful, timeout);
        } else {
            actor.hold(new Step(number + 1), timeout);
        }
    }

    private <S> void holdWithState(int number, StatefulActor<S, ?, ?> actor, Duration timeout)
            throws ExecutionException, InterruptedException {
        actor.holdWithState(new StepWithState<S>(actor, number + 1), timeout);
    }

    /** The code that the actor before gets; reports show the code of the user instead. */
    private class Step implements Callable<@Nullable Object>, Envelope {
        private final int next;

        Step(int next) {
            this.next = next;
        }

        @Override
        public @Nullable Object call() throws Exception {
            return holdNext(next);
        }

        @Override
        public Object content() {
            return shown;
        }
    }

    /** As {@link Step}, for an actor with a state. */
    private final class StepWithState<S> extends Step implements ReplyHandler<S, @Nullable Object> {
        private final Actor<?, ?> actor;

        StepWithState(Actor<?, ?> actor, int next) {
            super(next);
            this.actor = actor;
        }

        @Override
        public @Nullable Object handle(S state) throws Exception {
            held.add(actor, state);
            return call();
        }
    }

    /** Called inside the actor before, which is held as long as this method runs. */
    private @Nullable Object holdNext(int number) throws Exception {
        if (number == actors.size()) {
            runCode();
            return null;
        }
        try {
            hold(number, Holding.FOREVER);
        } catch (ExecutionException failed) {
            if (hasRun) {
                throw rethrown();
            }
            refusal = failed.getCause();
        } catch (InterruptedException interrupt) {
            isInterrupted = true;
            refusal = new ActorStoppedException("actor '" + actors.get(number - 1).name()
                    + "' was interrupted while it was held and waited for actor '" + actors.get(number).name()
                    + "'");
        } catch (RuntimeException refused) { // for example by a full mailbox, or since the wait is part of a cycle
            refusal = refused;
            timeLeft = ActorSystem.timeLeft();
        }
        return null;
    }

    private void runCode() throws Exception {
        hasRun = true;
        timeLeft = ActorSystem.timeLeft();
        try {
            value = code.handle(held);
        } catch (Throwable failure) {
            thrown = failure;
            throw failure;
        }
    }

    /** What the code has thrown is a failure of each of the actors. */
    private Exception rethrown() {
        if (thrown instanceof Error error) {
            throw error;
        }
        return (Exception) Objects.requireNonNull(thrown);
    }
}
