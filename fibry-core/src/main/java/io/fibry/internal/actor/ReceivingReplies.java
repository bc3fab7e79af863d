package io.fibry.internal.actor;

import io.fibry.ReceivingReplyContext;
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

    static IllegalStateException unanswered(Cell cell, Object message, boolean isRequest) {
        return new IllegalStateException(whom(cell) + " was asked a "
                + (isRequest ? "request of " : "message of ") + message.getClass().getName()
                + " and took it by receive, but did not reply before it called receive again or its code ended;"
                + " call reply(…) of its ReceivingReplyContext after the receive, or deferReply()");
    }

    static IllegalStateException tooLate(Cell cell, String method) {
        return new IllegalStateException(whom(cell) + " has called " + method
                + " when the message that it took last was over: a message is over as soon as receive is called again,"
                + " even if that returns nothing; reply, or call deferReply(), before that");
    }

    static IllegalStateException inCode(Cell cell) {
        return new IllegalStateException("code that was given to actor '" + cell.name()
                + "' has called reply, and there is no message to which it could reply; call reply in the handler");
    }

    private static String whom(Cell cell) {
        return "actor '" + cell.name() + "' of scope '" + cell.spec.scope.name() + "'";
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
