package io.fibry.internal.net;

import io.fibry.ActorBuilder;
import io.fibry.net.HttpProblem;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The place where handlers run. If the strategy allows it, they run on the fiber of the request. Otherwise each handler
 * runs in an actor of its own on the chosen strategy, and the fiber waits for it. So slow clients never occupy the
 * threads of a pool.
 */
final class HttpPlace {
    private final @Nullable ActorBuilder elsewhere;

    HttpPlace(@Nullable ActorBuilder elsewhere) {
        this.elsewhere = elsewhere == null ? null : elsewhere.interruptOnCancel();
    }

    /** The outcome of a handler. It carries a failure past the actor, which would report it. */
    private record Outcome(@Nullable Object value, @Nullable Throwable failure) {
        static Outcome of(Callable<? extends @Nullable Object> code) {
            try {
                return new Outcome(code.call(), null);
            } catch (Throwable failure) {
                return new Outcome(null, failure);
            }
        }

        @Nullable Object get() throws Exception {
            return switch (failure) {
                case null -> value;
                case Exception e -> throw e;
                case Error e -> throw e;
                case Throwable other -> throw new IllegalStateException(other);
            };
        }
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // the value is what the code has returned
    <T extends @Nullable Object> T call(ServedCall call, Callable<T> code) throws Exception {
        return elsewhere == null ? code.call() : (T) callIn(elsewhere, call, code).get();
    }

    private static Outcome callIn(ActorBuilder builder, ServedCall call,
            Callable<? extends @Nullable Object> code) throws Exception {
        var actor = builder.newActorWithReturn((Callable<? extends @Nullable Object> handler) -> {
            call.setThread(Thread.currentThread());
            try {
                return Outcome.of(handler);
            } finally {
                call.setThread(null); // a thread of a pool does other work after this
            }
        });
        var answer = actor.sendMessageReturn(code);
        try {
            return answer.get();
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw e;
        } catch (ExecutionException e) { // only if the strategy refused to run the actor, or it was stopped
            throw new HttpProblem(503, "too much to do; try again later", e.getCause());
        } finally {
            actor.sendPoisonPill();
        }
    }
}
