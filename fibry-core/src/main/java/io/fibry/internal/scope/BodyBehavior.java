package io.fibry.internal.scope;

import io.fibry.ActorException;
import io.fibry.ReceivingContext;
import io.fibry.function.Handler;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import io.fibry.internal.receive.BodyNode;
import io.fibry.internal.report.ShownAs;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of an actor whose body takes all its messages.
 *
 * @param body the body
 * @param receives whether it may wait for messages
 * @param carried the context of the thread that has made the actor
 */
record BodyBehavior(Handler<? extends ReceivingContext<?>> body, boolean receives,
        @Nullable Carried carried) implements Behavior {
    @Override
    public Class<?> handlerClass() {
        return ShownAs.classOf(body instanceof Behaviors.AnsweringBody mine ? mine.body() : body);
    }

    @Override
    public boolean isBody() {
        return true;
    }

    @Override
    public Signal begin(Turn turn) {
        return BodyNode.again(body, receives, carried);
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) throws Exception {
        throw new ActorException("actor '" + turn.cell.name() + "' handles messages in its body only");
    }
}
