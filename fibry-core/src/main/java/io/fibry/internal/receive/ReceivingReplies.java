package io.fibry.internal.receive;

import io.fibry.ReceivingReplyContext;
import io.fibry.internal.handle.Context;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.memory.StackReserve;
import io.fibry.message.DeferredReply;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A receiving actor that answers, as its own handler sees it. */
public final class ReceivingReplies<M, R extends @Nullable Object> extends Context<M, R>
        implements
            ReceivingReplyContext<M, R> {
    private final Receiving<M> receiving;

    private ReceivingReplies(Handle<M, R> cell, Receiving<M> receiving) {
        super(cell);
        this.receiving = receiving;
    }

    /** Returns the context of an actor that answers and whose code has this other context. */
    @SuppressWarnings("unchecked") // the engine handles actors of any type alike
    public static ReceivingReplies<Object, @Nullable Object> of(Receiving<Object> receiving) {
        receiving.inbox().needReplies();
        return new ReceivingReplies<>((Handle<Object, @Nullable Object>) (Handle<?, ?>) receiving.cell,
                receiving);
    }

    @Override
    public M receive() throws InterruptedException {
        return receiving.receive();
    }

    @Override
    public M receive(Predicate<? super M> wanted) throws InterruptedException {
        return receiving.receive(wanted);
    }

    @Override
    public Optional<M> receive(Predicate<? super M> wanted, Duration timeout) throws InterruptedException {
        return receiving.receive(wanted, timeout);
    }

    @Override
    public boolean reply(R value) {
        var turn = turn();
        StackReserve.require();
        return receiving.inbox().reply(turn, value);
    }

    @Override
    public DeferredReply<R> deferReply() {
        turn();
        StackReserve.require();
        return receiving.inbox().deferReply();
    }
}
