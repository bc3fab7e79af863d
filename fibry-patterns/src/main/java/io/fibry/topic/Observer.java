package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.Counters;
import io.fibry.event.Undelivered;
import io.fibry.function.Handler;
import io.fibry.message.Envelope;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An observer: changes that wait, and an actor that handles them.
 *
 * <p>A change is added under the lock of what is observed, so all observers have the changes in one order. The actor gets a
 * signal outside of the lock, whose order does not matter: it makes the actor handle the next change that waits, whichever
 * that is. While {@link #signalled} is true a signal is on its way or being handled, and its handler looks for a change
 * under the lock before it sets this to false. So no change waits without a signal. Each signal handles one change: if the
 * handler throws, the failure is that of this change, and the next signal has been sent before.
 */
final class Observer<C> implements Subscription, Envelope {
    private final LiveValue<C> owner;
    private final String name;
    private final Handler<? super C> handler;
    private final Runnable atEnd;
    /** Whether the actor of the user has stopped to which the changes are sent on. */
    private final BooleanSupplier hasEnded;
    private final Actor<Object, ?> actor;
    private final DeliveryTally tally;
    private final AtomicBoolean active = new AtomicBoolean(true);
    /** The changes that wait; of more than {@code most} the oldest ones are dropped. Guarded by the lock of the owner. */
    private final Deque<C> changes = new ArrayDeque<>();
    private final int most;
    /** Guarded by the lock of the owner. */
    private boolean signalled;
    /** The change that is being handled; used by the actor only. */
    private @Nullable C current;

    Observer(LiveValue<C> owner, String name, int most, Handler<? super C> handler,
            DeliveryTally tally, Runnable atEnd, BooleanSupplier hasEnded,
            Function<Observer<C>, Actor<Object, ?>> actor) {
        this.owner = owner;
        this.name = name;
        this.most = most;
        this.handler = handler;
        this.tally = tally;
        this.atEnd = atEnd;
        this.hasEnded = hasEnded;
        this.actor = actor.apply(this);
    }

    /** Called when the owner knows this observer. */
    void follow() {
        var unused = actor.onStopped().thenRun(this::retire);
    }

    Actor<Object, ?> actor() {
        return actor;
    }

    /** Called under the lock. Returns whether the caller has to send a signal when it has released the lock. */
    boolean add(C change) {
        if (changes.size() == most) {
            changes.remove();
            tally.dropped(1);
        }
        changes.add(change);
        var isSilent = !signalled;
        signalled = true;
        return isSilent;
    }

    /** Called without the lock, when the observer has become signalled: it stays so until a limit lets the signal through. */
    void signal() {
        var sent = false;
        try {
            sent = owner.send(actor, this, this::signal);
        } finally {
            if (!sent) {
                becomeSilent();
            }
        }
    }

    private void becomeSilent() {
        owner.lock.lock();
        try {
            signalled = false;
        } finally {
            owner.lock.unlock();
        }
    }

    /** The behavior of the actor on a signal. */
    void handleNext() throws Exception {
        C next;
        boolean more;
        owner.lock.lock();
        try {
            if (!isOpen()) {
                lose();
            }
            next = changes.poll();
            more = !changes.isEmpty();
            signalled = more;
        } finally {
            owner.lock.unlock();
        }
        assert TopicMarks.here();
        // mutant: observer-is-not-signalled-again
        if (more) {
            signal();
        }
        if (next != null) {
            handle(next);
        }
    }

    private void handle(C next) throws Exception {
        if (!isOpen()) {
            tally.undelivered(1);
            return;
        }
        current = next;
        try {
            handler.handle(next);
        } catch (Throwable failure) {
            tally.failed(1);
            throw failure;
        }
        tally.handled(1);
        current = null;
    }

    @Override
    public Object content() {
        var handled = current;
        var next = handled == null ? next() : handled;
        return next == null ? this : next;
    }

    @Nullable C next() {
        owner.lock.lock();
        try {
            return changes.peek();
        } finally {
            owner.lock.unlock();
        }
    }

    /**
     * A signal that comes too late is not missed: the changes were signalled again when the owner was closed, or are reported
     * when the actor has stopped.
     */
    @Override
    public boolean isLossReported(Undelivered.Cause cause) {
        return !SourceSignal.isOfAnEnd(cause);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String source() {
        return owner.name();
    }

    /** Whether the end has not been noted. It is noted a moment after the end of the actor, by a callback. */
    private boolean isOpen() {
        return active.get();
    }

    @Override
    public boolean isActive() {
        // mutant: stopped-observer-is-still-active
        return isOpen() && actor.state() != ActorState.STOPPED && !hasEnded.getAsBoolean();
    }

    @Override
    public Counters counters() {
        return tally.counters();
    }

    @Override
    public void close() {
        if (active.compareAndSet(true, false)) {
            owner.detach(this);
            actor.sendPoisonPill();
            atEnd.run();
        }
    }

    /** Called when the actor has stopped. The changes that it has not handled are reported as one undelivered message. */
    private void retire() {
        var isLoss = active.compareAndSet(true, false);
        var lost = isLoss ? next() : null;
        if (isLoss) {
            owner.detach(this);
            atEnd.run();
        }
        if (owner.forget(this) && lost != null) {
            actor.sendMessage(lost); // the actor has stopped: it reports the change as undelivered
        }
    }

    /** Called under the lock, when nothing is handled any more. */
    void lose() {
        tally.undelivered(changes.size());
        changes.clear();
    }

    @Override
    public String toString() {
        return "Subscription[" + name + (isActive() ? "" : ", ended") + "]";
    }
}
