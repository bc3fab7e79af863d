package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ReceivingContext;
import io.fibry.SharedMailbox;
import io.fibry.function.Body;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.report.ShownAs;
import io.fibry.time.TimeSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes the actors of the stereotypes, as a builder says: workers, code that runs once, and shared mailboxes. */
public final class StereotypeActors {
    private final Builder builder;
    private final ActorSpec spec;

    private StereotypeActors(Builder builder) {
        this.builder = builder;
        spec = builder.spec();
    }

    /**
     * Returns the actors that a builder can make.
     *
     * @param builder a builder that came from a scope or from another builder
     * @return the actors
     */
    public static StereotypeActors of(ActorBuilder builder) {
        return new StereotypeActors(Builder.of(builder));
    }

    /**
     * Returns the clock and the timers of the actors.
     *
     * @return the scope's time
     */
    public TimeSource time() {
        return spec.scope().time();
    }

    /**
     * Makes an actor that runs a piece of code and then stops.
     *
     * @param <M> type of the messages; it handles none
     * @param body the code
     * @return the actor
     */
    public <M> Actor<M, Void> newRunOnce(Body body) {
        return builder.newBody(new OneBody<M>(Objects.requireNonNull(body, "body")), false);
    }

    private record OneBody<M>(Body body) implements Handler<ReceivingContext<M>>, ShownAs {
        @Override
        public void handle(ReceivingContext<M> context) throws Exception {
            body.run();
        }

        @Override
        public Object code() {
            return body;
        }
    }

    /**
     * Makes an actor that gives each message to a new actor.
     *
     * @param <M> type of the messages
     * @param worker what to do with one message
     * @return the actor
     */
    public <M> Actor<M, Void> newWorkers(Handler<M> worker) {
        return workers(Behaviors.handler(worker));
    }

    /**
     * Makes an actor that gives each message to a new actor, which answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param worker what to do with one message
     * @return the actor
     */
    public <M, R extends @Nullable Object> Actor<M, R> newWorkersWithReturn(ReplyHandler<M, R> worker) {
        return workers(Behaviors.replying(worker));
    }

    /**
     * Makes a mailbox that several actors share, with the bounded mailbox of this builder.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @return the mailbox
     */
    public <M, R extends @Nullable Object> SharedMailbox<M, R> newSharedMailbox() {
        return SharedMailboxHandle.of(spec);
    }

    private <M, R extends @Nullable Object> Actor<M, R> workers(Behavior worker) {
        var master = Setting.AROUND.without(Setting.fitting(spec, Setting.Form.WORKERS)); // each worker has them
        return make(new Builder(master), new WorkersBehavior(spec, worker));
    }

    /**
     * Makes the actor that starts the workers. If that fails this method closes the scope of the workers, since no
     * actor would.
     */
    private static <M, R extends @Nullable Object> Actor<M, R> make(Builder master, WorkersBehavior workers) {
        Handle<M, R> made;
        try {
            made = master.make((Behavior) workers);
        } catch (Throwable notMade) {
            workers.close();
            throw notMade;
        }
        return made.closeOnExit(workers);
    }
}
