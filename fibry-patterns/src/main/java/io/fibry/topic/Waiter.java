package io.fibry.topic;

import io.fibry.ActorContext;
import io.fibry.message.DeferredReply;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The behavior of an actor that waits for a condition: its one answer completes when the condition holds. */
final class Waiter<T> {
    /** The ask, which is the first message. */
    static final Object WAIT = new SourceSignal("wait for a condition");
    /** Sent when what is observed is closed. The changes before that are tested first: their signals may come later. */
    static final Object END = new SourceSignal("give up a condition");

    private final Predicate<? super T> condition;
    private final Supplier<? extends Exception> closed;
    /** Written once, before the first message. */
    private @Nullable Observer<T> observer;
    private @Nullable DeferredReply<T> reply;

    Waiter(Predicate<? super T> condition, Supplier<? extends Exception> closed) {
        this.condition = condition;
        this.closed = closed;
    }

    void observes(Observer<T> observing) {
        observer = observing;
    }

    @SuppressWarnings("NullAway") // the reply is deferred: what is returned is ignored
    T handle(ActorContext<Object, T> context, Object message) throws Exception {
        if (message == WAIT) {
            reply = context.deferReply();
        } else if (observer != null) {
            var isEnd = message == END;
            do {
                observer.handleNext();
            } while (isEnd && observer.next() != null);
            if (isEnd) {
                giveUp();
            }
        }
        return null;
    }

    /** What the condition throws is the failure of the answer, and is reported nowhere else. */
    void test(T change) {
        var asked = reply;
        if (asked == null || asked.isDone()) {
            return;
        }
        try {
            if (condition.test(change)) {
                asked.complete(change);
            }
        } catch (Throwable failure) {
            asked.fail(failure);
        }
    }

    private void giveUp() {
        var asked = reply;
        if (asked != null && !asked.isDone()) {
            asked.fail(closed.get());
        }
    }
}
