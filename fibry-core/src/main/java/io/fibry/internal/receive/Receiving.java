package io.fibry.internal.receive;

import io.fibry.ReceivingContext;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.handle.Context;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.memory.StackReserve;
import io.fibry.message.DeferredReply;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/** A receiving actor as its own handler sees it. */
public final class Receiving<M> extends Context<M, Void> implements ReceivingContext<M> {
    private final Inbox inbox;

    private Receiving(Handle<M, Void> cell, Inbox inbox) {
        super(cell);
        this.inbox = inbox;
    }

    /** Returns the context of an actor whose turn calls. */
    @SuppressWarnings("unchecked") // the engine handles actors of any type alike
    public static Receiving<Object> inside(Turn turn) {
        var extended = turn.extendedState();
        if (extended.context instanceof Receiving<?> made) {
            return (Receiving<Object>) made;
        }
        var fresh = new Receiving<>((Handle<Object, Void>) turn.cell, new Inbox(turn.cell));
        extended.context = fresh;
        return fresh;
    }

    public Inbox inbox() {
        return inbox;
    }

    @Override
    public M receive() throws InterruptedException {
        return receive(Inbox.ANY);
    }

    @Override
    public M receive(Predicate<? super M> wanted) throws InterruptedException {
        return receive(wanted, Long.MAX_VALUE).orElseThrow();
    }

    @Override
    public Optional<M> receive(Predicate<? super M> wanted, Duration timeout) throws InterruptedException {
        return receive(wanted, Durations.nanos(timeout, "timeout"));
    }

    @Override
    @SuppressWarnings("unchecked") // only messages of type M are sent to this actor
    public List<M> receiveMore(int most, Duration timeout) throws InterruptedException {
        if (most < 0) {
            throw new IllegalArgumentException(
                    "actor '" + cell.name() + "' cannot receive " + most
                            + " more messages; let it be 0 or more");
        }
        return (List<M>) inbox.receiveMore(turn(), most, Durations.nanos(timeout, "timeout"));
    }

    @Override
    public DeferredReply<Void> deferReply() {
        turn();
        StackReserve.require();
        return inbox.deferReply();
    }

    @SuppressWarnings("unchecked") // only messages of type M are sent to this actor
    private Optional<M> receive(Predicate<? super M> wanted, long nanos) throws InterruptedException {
        Objects.requireNonNull(wanted, "wanted");
        return (Optional<M>) inbox.receive(turn(), (Predicate<Object>) wanted, nanos);
    }
}
