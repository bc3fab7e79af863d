package io.fibry.internal.reply;

import io.fibry.Reply;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Cell;
import org.jspecify.annotations.Nullable;

/**
 * The answers of requests. The handler returns a {@link Reply}, and the answer is the value in it. A handler that has
 * returned anything else has failed. The class of the answer alone tells a request from another message, so messages
 * that are no requests cost nothing extra.
 */
public final class RequestAnswer<T extends @Nullable Object> extends Answer<T> {
    public static final String RETURNED = ", and its handler has returned ";
    public static final String DEFERRED = ", and its deferred reply was completed with ";
    public static final String TAKEN = ", took it by receive, and has replied with ";

    private RequestAnswer(Cell target) {
        super(target);
    }

    /** Returns an answer without a time limit. */
    public static <T extends @Nullable Object> Answer<T> to(Cell target) {
        return target.spec.mayBeRunByCallers ? new Shared<>(target, false) : new RequestAnswer<>(target);
    }

    /** Returns an answer without a time limit, for a thread that waits for it at once and may run the actor. */
    public static <T extends @Nullable Object> SharedTurnAnswer<T> shared(Cell target) {
        return new Shared<>(target, true);
    }

    private static final class Shared<T extends @Nullable Object> extends SharedTurnAnswer<T> {
        Shared(Cell target, boolean waitsAtOnce) {
            super(target, waitsAtOnce);
        }

        @Override
        public boolean isOfRequest() {
            return true;
        }

        @Override
        public @Nullable Object resultOf(Cell cell, Object message, @Nullable Object returned) {
            return valueOf(cell, message, returned, RETURNED);
        }
    }

    @Override
    public boolean isOfRequest() {
        return true;
    }

    @Override
    public @Nullable Object resultOf(Cell cell, Object message, @Nullable Object returned) {
        return valueOf(cell, message, returned, RETURNED);
    }

    /**
     * Returns the value of the reply that the handler has made, in this way; throws if that is no reply to this request.
     */
    public static @Nullable Object valueOf(Cell cell, Object message, @Nullable Object returned, String way) {
        if (returned instanceof Reply reply && reply.request().orElse(null) == message) {
            return reply.value();
        }
        throw new IllegalStateException("actor '" + cell.name() + "' of scope '" + cell.spec.scope.name()
                + "' was asked a request of " + message.getClass().getName()
                + way
                + what(returned)
                + "; make the actor with newActorWithReturn, and reply with what reply(…) of that"
                + " very request makes");
    }

    private static String what(@Nullable Object returned) {
        if (returned instanceof Reply reply) {
            var other = reply.request();
            return other.isPresent()
                    ? "the reply to another request, of " + other.get().getClass().getName()
                    : "Reply.none(), which is for messages that are no requests";
        }
        return returned == null ? "no Reply but null"
                : "no Reply but an object of " + returned.getClass().getName();
    }

    /** Returns why a request fails that the actor has taken by receive. */
    public static IllegalStateException cannotReply(Cell cell) {
        return new IllegalStateException("actor '" + cell.name() + "' of scope '" + cell.spec.scope.name()
                + "' was asked a request and has taken it by receive, which gives no reply; make the actor with"
                + " newReceivingActorWithReturn, and reply by reply(…) of its ReceivingReplyContext");
    }
}
