package io.fibry.internal.net;

import io.fibry.ActorBuilder;
import io.fibry.net.HttpProblem;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
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

    <T extends @Nullable Object> T call(ServedCall call, Callable<T> code) throws Exception {
        return elsewhere == null ? code.call() : callIn(elsewhere, call, new FutureTask<>(code));
    }

    /** Runs a task in an actor. It keeps its failure, which the actor would report. */
    private static <T extends @Nullable Object> T callIn(ActorBuilder builder, ServedCall call,
            FutureTask<T> task)
            throws Exception {
        var actor = builder.newActor((FutureTask<T> handler) -> {
            call.setThread(Thread.currentThread());
            try {
                handler.run();
            } finally {
                call.setThread(null); // a thread of a pool does other work after this
            }
        });
        var handled = actor.sendMessageReturn(task);
        try {
            handled.get();
        } catch (InterruptedException e) {
            handled.cancel(true);
            throw e;
        } catch (ExecutionException e) { // only if the strategy refused to run the actor, or it was stopped
            throw new HttpProblem(503, "too much to do; try again later", e.getCause());
        } finally {
            actor.sendPoisonPill();
        }
        if (task.state() == Future.State.SUCCESS) {
            return task.resultNow();
        }
        switch (task.exceptionNow()) {
            case Exception failure -> throw failure;
            case Error failure -> throw failure;
            case Throwable other -> throw new IllegalStateException(other);
        }
    }
}
