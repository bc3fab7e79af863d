package io.fibry.internal.timer;

import io.fibry.ContextCarrier;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import io.fibry.internal.signal.Receivable;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The node of a tick. The turn claims the tick when it handles the node, since the timer may have been cancelled. */
public final class TickNode extends Receivable {
    private ActorTimers.@Nullable Timer timer;

    TickNode(ActorTimers.Timer timer) {
        this.timer = timer;
    }

    @Override
    public void run(Turn turn) {
        var mine = timer();
        if (!fits() && turn.mayLeave(this)) {
            turn.leaveForAnotherStack(new TickNode(mine), this);
            return;
        }
        if (!mine.takeTick()) {
            turn.skipped();
            return;
        }
        Carried.around(mine.carried, new Handling(turn, mine.message, mine.carried));
        mine.afterTick();
    }

    private record Handling(Turn turn, Object message, @Nullable Carried carried)
            implements
                Runnable,
                ContextCarrier.Handling {
        @Override
        public void run() {
            MessageNode.handle(turn, message, carried);
        }

        @Override
        public Optional<String> actor() {
            return Optional.ofNullable(turn.cell.givenName());
        }

        @Override
        public Class<?> handler() {
            return turn.behavior.handlerClass();
        }

        @Override
        public boolean isAsk() {
            return false;
        }
    }

    private record Afterwards(ActorTimers.Timer timer) implements Runnable {
        @Override
        public void run() {
            timer.afterTick();
        }
    }

    @Override
    public boolean fits() {
        return Carried.fits(timer().carried);
    }

    @Override
    public void refused(Turn turn, Throwable why) {
        if (timer().takeTick()) {
            timer().afterTick(); // this tick is lost, but the timer goes on
        }
        turn.skipped();
    }

    @Override
    public Signal again() {
        return new TickNode(timer());
    }

    @Override
    public Optional<Object> received() {
        return timer().isOver() ? Optional.empty() : Optional.of(timer().message);
    }

    @Override
    public boolean claim() {
        return timer().takeTick();
    }

    /** Returns what follows the handling of the tick: with a fixed delay the timer is set again after it. */
    @Override
    public Runnable afterwards() {
        return new Afterwards(timer());
    }

    public ActorTimers.Timer timer() {
        return Objects.requireNonNull(timer);
    }

    @Override
    public @Nullable Carried carried() {
        return timer().carried;
    }

    @Override
    public void clear() {
        timer = null;
    }
}
