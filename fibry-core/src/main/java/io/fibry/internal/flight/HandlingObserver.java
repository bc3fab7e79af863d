package io.fibry.internal.flight;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.timer.MessageClass;
import org.jspecify.annotations.Nullable;

/**
 * Records how long an actor works on each message, if that is longer than the threshold of the event. It is put on an actor
 * that is made while the event is enabled, and on no other: an actor has no clock, and a check before each message would
 * cost all of them something. So an actor that was made without it is never recorded, and an actor with it
 * asks before each message whether the event is enabled.
 *
 * <p>The turn calls this on the thread that handles the message. So the times are exact, and the event belongs to that thread.
 */
final class HandlingObserver extends Feature {
    private final Cell cell;

    // Accessed by the turn only.
    private @Nullable MessageHandledEvent handling;

    private HandlingObserver(Cell cell) {
        this.cell = cell;
    }

    /** Returns one for an actor. The caller can be verified without this class, which is loaded with the first recording. */
    static Feature of(Cell cell) {
        return new HandlingObserver(cell);
    }

    @Override
    public boolean observes() {
        return true;
    }

    @Override
    public void before(Turn turn, Object entry) {
        handling = new MessageHandledEvent();
        begin(handling, entry);
    }

    @Override
    public void after() {
        var ended = handling;
        handling = null;
        if (ended != null) {
            end(ended);
        }
    }

    /** Starts the clock, unless the event is not enabled, or the entry is none of the user's. */
    private static void begin(MessageHandledEvent event, Object entry) {
        if (event.isEnabled()) {
            var message = MessageClass.of(entry);
            if (message != null) {
                event.message = message.getName();
                event.begin();
            }
        }
    }

    private void end(MessageHandledEvent event) {
        if (event.message == null || cell.behavior().isBody()) {
            return;
        }
        event.end();
        if (event.shouldCommit()) {
            event.about(cell);
            event.commit();
        }
    }
}
