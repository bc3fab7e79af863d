package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A subscription: an actor that hands values to one subscriber as far as the subscriber has asked for them. All calls of the
 * subscriber come from this actor, so they come one after another.
 *
 * <p>The actor has at most one message: {@code scheduled} says that it is queued or being handled. A thread that changes
 * something sends it if it is not; the actor clears {@code scheduled} under the lock under which it has found nothing to do.
 */
final class Emission<T> implements Flow.Subscription {
    private static final int BUDGET = 256;
    private static final long REST = -1;
    private static final long OVER = -2;

    private final String name;
    /** Guards the demand, and whether a message is under way. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Runnable whenOver;
    private final Step next;

    // Set before the actor is made.
    private @Nullable Supply<T> supply;

    /** Set once, by the thread that subscribes. Null until then, and the actor may end before. */
    private volatile @Nullable Actor<Step, Void> actor;

    // Guarded by the lock.
    private long demand;
    private boolean scheduled = true;
    private boolean over;
    private boolean isClosing;
    private @Nullable IllegalArgumentException misuse;

    /** Set by any thread; a message follows, unless one is under way. */
    private volatile boolean cancelled;

    // Written by the actor. True at its end only if its handler was abandoned, and perhaps is still in a call.
    private volatile boolean isHandling;

    // Used by the actor.
    private boolean hasBegun;
    private Flow.@Nullable Subscriber<? super T> subscriber;

    /** Lets the actor begin, or go on. When it has ended, nothing is lost with a step: its end makes all calls that are due. */
    private record Step(boolean isFirst, String publisher) implements Envelope {
        @Override
        public Object content() {
            return isFirst ? "a subscription" : "values for a subscriber";
        }

        @Override
        public Optional<String> about() {
            return Optional.of("publisher " + publisher);
        }

        @Override
        public boolean isLossReported(Undelivered.Cause cause) {
            return isReported(cause);
        }
    }

    /** Returns whether a signal that is lost for this cause is reported: it is not at the end of its actor. */
    static boolean isReported(Undelivered.Cause cause) {
        return switch (cause) {
            case STOPPED, STOPPED_BEFORE_TURN, CLOSING -> false;
            default -> true;
        };
    }

    /**
     * Makes a subscription.
     *
     * @param whenOver is called once, inside its actor, when the subscriber is not called any more
     */
    Emission(String name, Flow.Subscriber<? super T> subscriber, Runnable whenOver) {
        this.name = name;
        this.subscriber = subscriber;
        this.whenOver = whenOver;
        next = new Step(false, name);
    }

    /** Sets where the values come from, before anything else is called. */
    void connect(Supply<T> values) {
        supply = values;
    }

    /**
     * Starts the actor, which calls the subscriber. If the first message is not handled, since a limit has refused it or the
     * actor cannot start, the end of the actor makes all calls.
     */
    void begin(ActorBuilder builder) {
        var made = builder.mailbox(MailboxPolicy.unbounded()).onExit(this::end).newActor(this::handle);
        actor = made;
        var unused = made.sendTracked(new Step(true, name)).thenAccept(fate -> {
            if (!fate.isHandled()) {
                made.askExit();
            }
        });
    }

    /** Tells the subscriber, on the thread that subscribes, that its subscription could not begin. */
    void refuse(Throwable why) {
        var refused = subscriber;
        if (finish() && refused != null) {
            refused.onSubscribe(this);
            refused.onError(why);
        }
    }

    @Override
    public void request(long n) {
        change(() -> {
            if (n <= 0) {
                misuse = new IllegalArgumentException("a subscriber of '" + name + "' has requested " + n
                        + " values; ask for at least 1 (rule 3.9 of Reactive Streams)");
            } else {
                demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
            }
        });
    }

    @Override
    public void cancel() {
        cancelled = true;
        wake();
    }

    /** Lets the actor look for what is new. */
    void wake() {
        change(() -> {
        });
    }

    /** Begins the end: what has been requested is still handed over, and no further message is sent. */
    void close() {
        change(() -> isClosing = true);
    }

    private void change(Runnable what) {
        lock.lock();
        try {
            if (over) {
                return;
            }
            var wasClosing = isClosing;
            what.run();
            if (scheduled || wasClosing) {
                return;
            }
            scheduled = true;
        } finally {
            lock.unlock();
        }
        goOn();
    }

    /** Sends the next message. If it is refused, for example by a limit, the actor ends, and its end does the rest. */
    private void goOn() {
        var target = actor;
        if (target == null) {
            return; // The actor has ended before it was made known.
        }
        boolean isSent;
        try {
            isSent = target.sendMessage(next);
        } catch (MailboxFullException full) {
            isSent = false;
        }
        if (!isSent) {
            target.askExit();
        }
    }

    // ---- Inside the actor. ----

    private void handle(Step step) {
        if (over) {
            return;
        }
        isHandling = true;
        try {
            if (step.isFirst()) {
                callOnSubscribe();
            }
            emit(BUDGET);
        } catch (Throwable thrown) {
            // By rule 2.13 the subscription is cancelled. The failure is one of this actor.
            finishAfter(thrown);
            throw thrown;
        } finally {
            isHandling = false;
        }
    }

    private void callOnSubscribe() {
        hasBegun = true;
        subscriber().onSubscribe(this);
    }

    private Flow.Subscriber<? super T> subscriber() {
        return Objects.requireNonNull(subscriber);
    }

    /** Hands over what is there and wanted, up to a number of values. */
    private void emit(int most) {
        var values = Objects.requireNonNull(supply);
        int left = most;
        int given = 0;
        while (true) {
            var wanted = settle(values, given);
            if (wanted == REST) {
                return;
            }
            if (wanted == OVER) {
                finish(values);
                return;
            }
            if (left == 0) {
                goOn();
                return;
            }
            given = 0;
            while (given < wanted && given < left && !cancelled) {
                var value = values.poll();
                if (value == null) {
                    break;
                }
                given++;
                subscriber().onNext(value);
            }
            left -= given;
        }
    }

    /**
     * Takes what was given from the demand, and tells how many more values are wanted: at least none. If there is nothing to do
     * before the next message, the result is {@code REST}; if the subscription is over, {@code OVER}.
     */
    private long settle(Supply<T> values, int given) {
        lock.lock();
        try {
            demand -= demand == Long.MAX_VALUE ? 0 : given;
            if (over || cancelled || misuse != null) {
                return OVER;
            }
            if (given > 0 && demand > 0) {
                return demand;
            }
            // There is no demand, or the last look has found no value.
            var seen = values.look();
            if (seen.isOver() && !seen.hasValue()) {
                return OVER;
            }
            if ((demand == 0 && seen.hasValue()) || values.arm()) {
                scheduled = false;
                return REST;
            }
            return demand;
        } finally {
            lock.unlock();
        }
    }

    private void finish(Supply<T> values) {
        if (cancelled) {
            finish();
        } else {
            Throwable wrong;
            lock.lock();
            try {
                wrong = misuse;
            } finally {
                lock.unlock();
            }
            finish(wrong != null ? wrong : values.look().failure());
        }
    }

    private void finish(@Nullable Throwable failure) {
        var last = subscriber;
        boolean isEnd;
        try {
            isEnd = finish();
        } catch (Throwable atEnd) {
            try {
                tell(last, failure);
            } catch (Throwable bySubscriber) {
                Failures.add(atEnd, bySubscriber);
            }
            throw atEnd;
        }
        if (isEnd) {
            tell(last, failure);
        }
    }

    private static void tell(Flow.@Nullable Subscriber<?> last, @Nullable Throwable failure) {
        if (last == null) {
            return;
        }
        if (failure == null) {
            last.onComplete();
        } else {
            last.onError(failure);
        }
    }

    private void finishAfter(Throwable thrown) {
        try {
            finish();
        } catch (Throwable atEnd) {
            Failures.add(thrown, atEnd);
        }
    }

    /**
     * Ends the subscription; the subscriber is not called any more, and is forgotten. Returns false if it had ended before.
     */
    private boolean finish() {
        lock.lock();
        try {
            if (over) {
                return false;
            }
            over = true;
        } finally {
            lock.unlock();
        }
        subscriber = null;
        var values = supply;
        supply = null;
        var ending = actor;
        if (ending != null) {
            ending.askExit();
        }
        whenOver.run();
        if (values != null) {
            values.cancel();
        }
        return true;
    }

    /**
     * Runs when the actor ends. If the subscription goes on, the actor is stopped from outside. No call overlaps
     * another one, so a subscriber that is stuck in a call gets no further one.
     */
    private void end() {
        if (over) {
            return;
        }
        if (isHandling) {
            cancelled = true;
            finish();
            return;
        }
        try {
            if (!hasBegun) {
                callOnSubscribe();
            }
            var values = Objects.requireNonNull(supply);
            // If values may still come, there could always be one more.
            emit(values.look().isOver() ? Integer.MAX_VALUE : BUDGET);
            finish(Production.stopped(name));
        } catch (Throwable thrown) {
            finishAfter(thrown);
            throw thrown;
        }
    }
}
