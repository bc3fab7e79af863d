package io.fibry.test;

import io.fibry.function.ContextHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Handlers with planned faults. Each of them wraps a handler of the program. The messages are counted by the wrapper, from one,
 * also over a restart of the actor, unless the restart makes the wrapper anew.
 *
 * <pre>{@code
 * var shop = scope.anonymous().newActor(Faults.failingAt(3, (String item) -> sell(item)));
 * }</pre>
 *
 * <p>{@link HeldHandlers} makes a mailbox full for a while, and {@link LateTime} makes timers late.
 */
public final class Faults {
    private Faults() {
    }

    /**
     * Returns a handler that fails at one message, with an {@link InjectedFailure}, before the wrapped handler sees it.
     *
     * @param <M> type of the messages
     * @param number the number of the message, from one
     * @param handler handles all other messages
     * @return the handler
     */
    public static <M> Handler<M> failingAt(long number, Handler<M> handler) {
        Objects.requireNonNull(handler, "handler");
        var fault = new FailureAt(number);
        return message -> {
            fault.next();
            handler.handle(message);
        };
    }

    /**
     * Returns a handler that answers and fails at one message, with an {@link InjectedFailure}, before the wrapped handler sees
     * it.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param number the number of the message, from one
     * @param handler handles all other messages
     * @return the handler
     */
    public static <M, R extends @Nullable Object> ReplyHandler<M, R> failingReplyAt(long number,
            ReplyHandler<M, R> handler) {
        Objects.requireNonNull(handler, "handler");
        var fault = new FailureAt(number);
        return message -> {
            fault.next();
            return handler.handle(message);
        };
    }

    /**
     * Returns a handler that stops its actor after one message: the messages that are queued behind it become undelivered.
     *
     * @param <M> type of the messages
     * @param number the number of the last message that is handled, from one
     * @param handler handles the messages
     * @return the handler
     */
    public static <M> ContextHandler<M> stoppingAfter(long number, Handler<M> handler) {
        Objects.requireNonNull(handler, "handler");
        var seen = new Count(number);
        return (context, message) -> {
            if (seen.isNext()) {
                context.askExit();
            }
            handler.handle(message);
        };
    }

    private static final class Count {
        private final long number;
        private final AtomicLong seen = new AtomicLong();

        Count(long number) {
            if (number < 1) {
                throw new IllegalArgumentException("messages are counted from 1: " + number);
            }
            this.number = number;
        }

        boolean isNext() {
            return seen.incrementAndGet() == number;
        }
    }

    private static final class FailureAt {
        private final Count count;

        FailureAt(long number) {
            count = new Count(number);
        }

        void next() {
            if (count.isNext()) {
                throw new InjectedFailure("the test lets the handler fail at message " + count.number);
            }
        }
    }
}
