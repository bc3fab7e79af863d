package io.fibry.internal.handle;

import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Code;
import io.fibry.internal.report.ShownAs;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Code that was given to an actor and needs the actor's state. The behavior of the actor gives the state to it.
 *
 * @param given the actor that the code was given to
 * @param code the code
 */
public record StateTask(Cell given,
        ReplyHandler<Object, ? extends @Nullable Object> code)
        implements
            Callable<@Nullable Object>,
            ShownAs {
    /** Runs code that has no result as a {@link ReplyHandler}. */
    record BodyCall(Handler<Object> code) implements ReplyHandler<Object, @Nullable Object>, ShownAs {
        @Override
        public @Nullable Object handle(Object state) throws Exception {
            code.handle(state);
            return null;
        }
    }

    private record Bound(ReplyHandler<Object, ? extends @Nullable Object> code,
            Object state) implements Callable<@Nullable Object> {
        @Override
        public @Nullable Object call() throws Exception {
            return code.handle(state);
        }
    }

    /** Returns the code with the state that it runs with. */
    public Callable<@Nullable Object> with(Object state) {
        return new Bound(code, state);
    }

    /** Fails: the behavior that runs the code has no state. */
    @Override
    public @Nullable Object call() {
        throw noState(given);
    }

    static IllegalStateException noState(Cell actor) {
        return new IllegalStateException("actor '" + actor.name()
                + "' has no state to run code with: make it with state(…),"
                + " or give the code to execAsync, execAndWait or execFuture");
    }
}
