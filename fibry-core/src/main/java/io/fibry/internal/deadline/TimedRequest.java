package io.fibry.internal.deadline;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.TimeLimit;
import io.fibry.internal.reply.RequestAnswer;
import org.jspecify.annotations.Nullable;

/** The answer of a request, with a time limit: see {@link RequestAnswer}. */
public final class TimedRequest<T extends @Nullable Object> extends TimedAnswer<T> {
    private TimedRequest(Cell target, Class<?> request, long sentAt, long due,
            @Nullable TimedAnswer<?> within) {
        super(target, request, sentAt, due, within);
    }

    /** Returns an answer whose clock runs. */
    public static <T extends @Nullable Object> TimedAnswer<T> to(Cell target, Class<?> request,
            long timeoutNanos, @Nullable TimeLimit current) {
        return TimedAnswer.<T>to(new TimedMaker<T>(), target, request, timeoutNanos, current);
    }

    private record TimedMaker<T extends @Nullable Object>() implements TimedAnswer.Maker<T> {
        @Override
        public TimedAnswer<T> make(Cell target, Class<?> message, long sentAt, long due,
                @Nullable TimedAnswer<?> within) {
            return new TimedRequest<>(target, message, sentAt, due, within);
        }
    }

    @Override
    public boolean isOfRequest() {
        return true;
    }

    @Override
    public @Nullable Object resultOf(Cell cell, Object message, @Nullable Object returned) {
        return RequestAnswer.valueOf(cell, message, returned, RequestAnswer.RETURNED);
    }
}
