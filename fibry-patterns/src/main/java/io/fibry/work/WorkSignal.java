package io.fibry.work;

import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;
import java.util.Optional;

/**
 * What an actor of this package is told. Reports show what a signal is about, since its class means nothing to programs. At the end of
 * the actor nothing is lost with a signal: those who ask get an exception, and other signals mean nothing any more.
 */
interface WorkSignal extends Envelope {
    /** Returns what the signal is about. */
    String what();

    @Override
    default Object content() {
        return what();
    }

    @Override
    default Optional<String> about() {
        return Optional.of(what());
    }

    @Override
    default boolean isLossReported(Undelivered.Cause cause) {
        return switch (cause) {
            case STOPPED, STOPPED_BEFORE_TURN, CLOSING -> false;
            default -> true;
        };
    }
}
