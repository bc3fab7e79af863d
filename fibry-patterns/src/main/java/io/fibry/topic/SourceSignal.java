package io.fibry.topic;

import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;
import java.util.Optional;

/**
 * Calls the actor of a combined value, or one that waits for a condition, to look at what it follows. When the actor has ended
 * nothing is lost with it.
 *
 * @param content what reports name
 * @param of what reports call the content
 * @param work what the actor of a combined value does
 */
record SourceSignal(Object content, Optional<String> of, Runnable work) implements Envelope, Runnable {
    SourceSignal(String content) {
        this(content, Optional.empty(), () -> {
        });
    }

    static boolean isOfAnEnd(Undelivered.Cause cause) {
        return switch (cause) {
            case STOPPED, STOPPED_BEFORE_TURN, CLOSING -> true;
            default -> false;
        };
    }

    @Override
    public void run() {
        work.run();
    }

    @Override
    public Optional<String> about() {
        return of;
    }

    @Override
    public boolean isLossReported(Undelivered.Cause cause) {
        return !isOfAnEnd(cause);
    }
}
