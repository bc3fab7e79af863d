package io.fibry.web.internal;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpProblem;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A session. Its actor stops when it was idle for long enough, and runs all code that uses the state.
 *
 * @param <S> the type of the state
 */
final class SessionActor<S> {
    private final AtomicReference<String> key;
    private final S state;
    private final long begunAt;
    private final Consumer<SessionActor<S>> ended;
    /** Set by the actor or a thread of requests, before the key is removed. */
    private volatile boolean hasEnded;
    private @Nullable Actor<Runnable, Void> actor;

    SessionActor(String key, S state, long begunAt, Consumer<SessionActor<S>> ended) {
        this.key = new AtomicReference<>(key);
        this.state = state;
        this.begunAt = begunAt;
        this.ended = ended;
    }

    /** Starts the actor, or closes the state. Called once, before others know the session. */
    void start(ActorScope scope, Duration idle) {
        try {
            actor = scope.anonymous().withoutDefaults().stopWhenIdle(idle).onExit(this::exit)
                    .newActor((Runnable code) -> code.run());
        } catch (Throwable notMade) {
            try {
                close(); // An actor that is not made has no exit hook that does it.
            } catch (Throwable next) {
                notMade.addSuppressed(next);
            }
            throw notMade;
        }
    }

    private void exit() throws Exception {
        hasEnded = true;
        ended.accept(this);
        close();
    }

    private void close() throws Exception {
        if (state instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }

    private Actor<Runnable, Void> actor() {
        var started = actor;
        if (started == null) {
            throw new IllegalStateException("the session has not been started");
        }
        return started;
    }

    String key() {
        return key.get();
    }

    /** Returns the former key. */
    String changeKey(String newKey) {
        return key.getAndSet(newKey);
    }

    boolean hasEnded() {
        return hasEnded;
    }

    /** Tells whether the session can be used, and counts as a use of it. Ends a session that has lived for too long. */
    boolean isAlive(long now, long lifetime) {
        if (!hasEnded && now - begunAt > lifetime) {
            end();
        }
        return !hasEnded && actor().sendMessage(SessionActor::nothing);
    }

    private static void nothing() {
        // it is sent to count as a use
    }

    void end() {
        hasEnded = true;
        actor().sendPoisonPill(); // what waits is handled before
    }

    /** What code has returned or thrown. An exception fails its request, and is no failure of the actor. */
    private record Outcome<R extends @Nullable Object>(R value, @Nullable Exception failure) {
        @SuppressWarnings("NullAway") // there is no value if there is a failure
        static <R extends @Nullable Object> Outcome<R> of(Callable<R> code) {
            try {
                return new Outcome<>(code.call(), null);
            } catch (Exception failure) {
                return new Outcome<>(null, failure);
            }
        }

        R result() throws Exception {
            if (failure != null) {
                throw failure;
            }
            return value;
        }
    }

    <R extends @Nullable Object> R ask(ReplyHandler<? super S, R> code, Duration limit) throws Exception {
        var answer = actor().execFuture(() -> Outcome.of(() -> code.handle(state)), limit);
        try {
            return answer.get().result();
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw e;
        } catch (ExecutionException failed) {
            throw switch (failed.getCause()) {
                case ActorStoppedException stopped -> new HttpProblem(401, "the session has ended", stopped);
                case AskTimeoutException late ->
                    new HttpProblem(503, "this took too long; try again later", late);
                case Exception other -> other;
                case Error error -> throw error;
                case null, default -> failed;
            };
        }
    }
}
