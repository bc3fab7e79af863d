package io.fibry.internal.supervise;

import io.fibry.event.Stopped;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import io.fibry.internal.signal.Receivable;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node that tells a watcher of the end of an actor. The turn checks whether the watch is current when it handles
 * the node.
 */
final class NoticeNode extends Receivable {
    private @Nullable Watch watch;
    private final Stopped how;
    /** The message that the user's code makes, once and on the watcher's turn. */
    private @Nullable Object message;
    /** What that code has thrown instead. */
    private @Nullable Throwable failure;

    NoticeNode(Watch watch, Stopped how) {
        this.watch = watch;
        this.how = how;
    }

    boolean isCurrent() {
        return watch().isCurrent();
    }

    /** Returns the message; null if it cannot be made. */
    private @Nullable Object message() {
        if (message == null && failure == null) {
            try {
                message = Objects.requireNonNull(watch().notice().apply(how),
                        "the message that a watch makes");
            } catch (Throwable thrown) {
                failure = thrown;
            }
        }
        return message;
    }

    @Override
    public Optional<Object> received() {
        return isCurrent() ? Optional.ofNullable(message()) : Optional.empty();
    }

    /** Ends the watch, since the watcher takes the notice. */
    @Override
    public void take() {
        SupervisionState.of(watch().by()).endWatch(watch().over());
    }

    @Override
    public void run(Turn turn) {
        if (!fits() && turn.mayLeave(this)) {
            turn.leaveForAnotherStack(again(), this);
            return;
        }
        if (!isCurrent()) {
            turn.skipped();
            return;
        }
        take();
        var made = message();
        if (made == null) {
            turn.failed(how, Objects.requireNonNull(failure));
        } else {
            MessageNode.handle(turn, made, null);
        }
    }

    /** Returns whether the turn runs without carried context, since a notice has no sender. */
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
        failure = null;
    }

    @Override
    public Signal again() {
        return new NoticeNode(watch(), how);
    }
}
