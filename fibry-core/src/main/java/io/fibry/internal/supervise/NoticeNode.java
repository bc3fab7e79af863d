package io.fibry.internal.supervise;

import io.fibry.event.Stopped;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Receivable;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tells a watcher that an actor has ended. Whether it still watches is looked up when its turn comes. */
final class NoticeNode extends Node implements Receivable {
    private @Nullable Watch watch;
    private final Stopped how;
    /** Made by the user's code, on the watcher's turn and once. */
    private @Nullable Object message;

    NoticeNode(Watch watch, Stopped how) {
        this.watch = watch;
        this.how = how;
    }

    boolean isCurrent() {
        return watch().isCurrent();
    }

    Object message() {
        var made = message;
        if (made == null) {
            made = Objects.requireNonNull(watch().notice().apply(how), "the message that a watch makes");
            message = made;
        }
        return made;
    }

    @Override
    public Optional<Object> received() {
        return isCurrent() ? Optional.of(message()) : Optional.empty();
    }

    /** The watcher has it: the watch is over. */
    @Override
    public void take() {
        SupervisionState.of(watch().by()).endWatch(watch().over());
    }

    @Override
    public void handle(Turn turn) {
        if (!fits() && turn.mayLeave(this)) {
            turn.leaveForAnotherStack(again(), this);
            return;
        }
        if (!isCurrent()) {
            turn.skipped();
            return;
        }
        take();
        try {
            turn.behavior.handle(turn, message());
        } catch (Throwable failure) {
            turn.failed(message == null ? Stopped.class : message.getClass(), failure);
            return;
        }
        turn.handled();
    }

    /** It comes from nobody. */
    @Override
    public boolean fits() {
        var carriers = watch().by().spec().carriers();
        return carriers == null || Carried.fits(carriers.nothing());
    }

    @Override
    public void refused(Turn turn, Throwable why) {
        turn.skipped();
        if (isCurrent()) {
            take();
            turn.cell.loses(how, Cause.STRATEGY_REFUSED);
        }
    }

    private Watch watch() {
        return Objects.requireNonNull(watch);
    }

    @Override
    public void clear() {
        watch = null;
        message = null;
    }

    @Override
    public boolean isControl() {
        return true;
    }

    @Override
    public Node again() {
        return new NoticeNode(watch(), how);
    }
}
