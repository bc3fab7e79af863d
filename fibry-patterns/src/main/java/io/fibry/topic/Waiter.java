package io.fibry.topic;

import io.fibry.ActorContext;
import io.fibry.message.DeferredReply;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The behavior of an actor that waits for a condition: its one answer completes when the condition holds. */
final class Waiter<C, T> {
    /** The ask, which is the first message. */
    static final Object WAIT = new SourceSignal("wait for a condition");
    /** Sent when the observer is there: what changes after that is seen. */
    static final Object LOOK = new SourceSignal("test a condition");

    /** Sent when what is observed is closed. The changes before that have been signalled. */
    static final Object END = new SourceSignal("give up a condition");

    private final AwaitedCondition<? super C, T> condition;
    private final Supplier<? extends Exception> closed;
    /** Written once, before the first message. */
    private @Nullable Observer<C> observer;
    private @Nullable DeferredReply<T> reply;

    Waiter(AwaitedCondition<? super C, T> condition, Supplier<? extends Exception> closed) {
        this.condition = condition;
        this.closed = closed;
    }

    void observes(Observer<C> observing) {
        observer = observing;
    }

    @SuppressWarnings("NullAway") // the reply is deferred: what is returned is ignored
    T handle(ActorContext<Object, T> context, Object message) throws Exception {
        if (message == WAIT) {
            reply = context.deferReply();
        } else if (message == LOOK) {
            complete(condition::present);
        } else if (message == END) {
            complete(condition::present);
            giveUp();
        } else if (observer != null) {
            observer.handleNext();
        }
        return null;
    }

    /** What the condition throws is the failure of the answer, and is reported nowhere else. */
    void test(C change) {
        complete(() -> condition.test(change));
    }

    private void giveUp() {
        var waiting = reply;
        if (waiting != null && !waiting.isDone()) {
            waiting.fail(closed.get());
        }
    }

    private void complete(Supplier<Optional<T>> test) {
        var waiting = reply;
        if (waiting == null || waiting.isDone()) {
            return;
        }
        try {
            test.get().ifPresent(waiting::complete);
        } catch (Throwable failure) {
            waiting.fail(failure);
        }
    }
}
