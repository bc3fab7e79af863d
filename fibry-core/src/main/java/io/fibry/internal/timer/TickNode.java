package io.fibry.internal.timer;

import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Receivable;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A timer's message. It is claimed when its turn comes: the timer may have been cancelled. */
public final class TickNode extends Node implements Receivable {
    private ActorTimers.@Nullable Timer timer;

    TickNode(ActorTimers.Timer timer) {
        this.timer = timer;
    }

    @Override
    public void handle(Turn turn) {
        var mine = timer();
        if (!fits() && turn.mayLeave(this)) {
            turn.leaveForAnotherStack(new TickNode(mine), this);
            return;
        }
        if (!mine.takeTick()) {
            turn.skipped();
            return;
        }
        Carried.around(mine.carried, () -> handle(turn, mine.message));
        mine.afterTick();
    }

    private static void handle(Turn turn, Object message) {
        try {
            turn.behavior.handle(turn, message);
            turn.handled();
        } catch (Throwable failure) {
            turn.failed(message.getClass(), failure);
        }
    }

    @Override
    public boolean fits() {
        return Carried.fits(timer().carried);
    }

    @Override
    public void refused(Turn turn, Throwable why) {
        if (timer().takeTick()) {
            timer().afterTick(); // this tick is lost, the timer is not
        }
        turn.skipped();
    }

    @Override
    public Node again() {
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

    /** Only then: with a fixed delay the next tick comes that long after the end of this one. */
    @Override
    public Runnable afterwards() {
        return timer()::afterTick;
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

    @Override
    public boolean isControl() {
        return true;
    }
}
