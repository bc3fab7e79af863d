package io.fibry.internal.receive;

import io.fibry.ReceivingContext;
import io.fibry.event.Failed;
import io.fibry.event.Stopped.Reason;
import io.fibry.function.Handler;
import io.fibry.internal.actor.Front;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import io.fibry.internal.signal.OpeningNode;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The body of an actor whose whole life is one piece of code: the first node of the actor, and the last that
 * it handles.
 */
public final class BodyNode extends OpeningNode {
    /** Null when it has run: a mailbox may refer to the node that was taken last. */
    private @Nullable Handler<? extends ReceivingContext<?>> body;
    private final boolean receives;
    /** The context of the thread that has made the actor. */
    private @Nullable Carried carried;
    /** Whether this node was made for a restart, and never was in the mailbox. */
    private final boolean again;

    /**
     * Makes the node of a body. {@code receives} is true if the body may wait for messages, which its maker
     * could not send from below it.
     */
    public BodyNode(Handler<? extends ReceivingContext<?>> body, boolean receives,
            @Nullable Carried carried) {
        this(body, receives, carried, false);
    }

    private BodyNode(Handler<? extends ReceivingContext<?>> body, boolean receives, @Nullable Carried carried,
            boolean again) {
        this.body = body;
        this.receives = receives;
        this.carried = carried;
        this.again = again;
    }

    /** Returns the node of a body that runs again since its actor is restarted. */
    public static BodyNode again(Handler<? extends ReceivingContext<?>> body, boolean receives,
            @Nullable Carried carried) {
        return new BodyNode(body, receives, carried, true);
    }

    @Override
    public boolean waitsForNodes() {
        return receives;
    }

    @Override
    public void clear() {
        body = null;
        carried = null;
    }

    @Override
    public boolean fits() {
        return Carried.fits(carried);
    }

    /** Ends the actor: it has nothing to do if its body cannot run. */
    @Override
    public void refused(Turn turn, Throwable why) {
        turn.cell.setExitReason(Reason.FAILURE);
        turn.skipped();
        turn.cell.report(Failed.in(Failed.Part.START, turn.cell.name(), why));
    }

    /** The body, with what it has thrown. */
    private static final class Run implements Runnable {
        private final Handler<ReceivingContext<Object>> body;
        private final Turn turn;
        private final Receiving<Object> context;
        Optional<Throwable> failure = Optional.empty();

        Run(Handler<ReceivingContext<Object>> body, Turn turn, Receiving<Object> context) {
            this.body = body;
            this.turn = turn;
            this.context = context;
        }

        @Override
        public void run() {
            try {
                body.handle(context);
            } catch (Throwable thrown) {
                failure = turn.endsByExit(thrown) ? Optional.empty() : Optional.of(thrown);
            }
            context.inbox().end(turn, failure);
        }
    }

    private static boolean isPrepared(Turn turn) {
        try {
            turn.behavior.prepare(turn);
            return true;
        } catch (Throwable failure) {
            turn.skipped();
            turn.startFailed(failure);
            return false;
        }
    }

    @Override
    @SuppressWarnings("unchecked") // the body takes only messages that were sent to this actor
    public void run(Turn turn) {
        var code = Objects.requireNonNull(body);
        if (!fits() && turn.mayLeave(this)) {
            turn.leaveForAnotherStack(new BodyNode(code, receives, carried, again), this);
            return;
        }
        if (!again && !isPrepared(turn)) {
            return;
        }
        var context = Receiving.inside(turn);
        var run = new Run((Handler<ReceivingContext<Object>>) (Handler<?>) code, turn, context);
        Carried.around(carried, run);
        var failure = run.failure;
        if (!again) {
            turn.skipped();
        }
        if (failure.isPresent()) {
            turn.bodyFailed(failure.get());
        } else if (!turn.isRestarting()) {
            turn.cell.setExitReason(Front.inside(turn).isAtPill() ? Reason.POISON_PILL : Reason.EXIT);
        }
    }
}
