package io.fibry.internal.scope;

import io.fibry.ActorException;
import io.fibry.ReceivingContext;
import io.fibry.ReceivingReplyContext;
import io.fibry.function.ReceivingBody;
import io.fibry.function.ReceivingStateBody;
import io.fibry.function.ReceivingStateReplyBody;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.BodyNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Receiving;
import io.fibry.internal.actor.ReceivingReplies;
import io.fibry.internal.actor.StartHook;
import io.fibry.internal.actor.StateTask;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of an actor whose body takes all its messages.
 *
 * @param body the body
 * @param receives whether it may wait for messages
 * @param carried the context of the thread that has made the actor
 * @param state the state; null if the actor has none
 * @param hooks what runs before the body
 */
record BodyBehavior(ReceivingBody<?> body, boolean receives, @Nullable Carried carried,
        @Nullable State<?> state, List<StartHook> hooks) implements Behavior {
    /** A body with the state that was made for it. */
    record WithState<S, M>(State<S> state, ReceivingStateBody<S, M> body) implements ReceivingBody<M> {
        @Override
        public void run(ReceivingContext<M> context) throws Exception {
            body.run(context, Objects.requireNonNull(state.ifMade(), "the state of a body"));
        }
    }

    /** A body that answers, with the state that was made for it. */
    record Answering<S, M, R extends @Nullable Object>(State<S> state,
            ReceivingStateReplyBody<S, M, R> body) implements ReceivingBody<Object> {
        @Override
        @SuppressWarnings("unchecked") // the body takes only messages that were sent to this actor
        public void run(ReceivingContext<Object> context) throws Exception {
            var replies = (ReceivingReplyContext<M, R>) (ReceivingReplyContext<?, ?>) ReceivingReplies
                    .of((Receiving<Object>) context);
            body.run(replies, Objects.requireNonNull(state.ifMade(), "the state of a body"));
        }
    }

    @Override
    public Class<?> handlerClass() {
        if (body instanceof WithState<?, ?> mine) {
            return mine.body.getClass();
        }
        if (body instanceof Answering<?, ?, ?> mine) {
            return mine.body.getClass();
        }
        return (body instanceof Behaviors.AnsweringBody mine ? mine.body() : body).getClass();
    }

    @Override
    public boolean isBody() {
        return true;
    }

    @Override
    public Node begin(Turn turn) throws Exception {
        prepare(turn);
        return BodyNode.again(body, receives, carried);
    }

    @Override
    public void prepare(Turn turn) throws Exception {
        if (state != null) {
            state.value(turn);
        }
        StartBehavior.run(hooks, this, turn);
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) throws Exception {
        throw new ActorException("actor '" + turn.cell.name() + "' handles messages in its body only");
    }

    @Override
    public boolean hasState() {
        return state != null;
    }

    @Override
    public Callable<? extends @Nullable Object> bound(Turn turn,
            Callable<? extends @Nullable Object> code) {
        return state != null && code instanceof StateTask task ? task.with(valueOf(state, turn)) : code;
    }

    private static <S> Object valueOf(State<S> state, Turn turn) {
        return state.value(turn);
    }

    @Override
    public void dispose() throws Exception {
        if (state != null) {
            state.close();
        }
    }
}
