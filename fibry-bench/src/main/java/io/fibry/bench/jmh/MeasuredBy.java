package io.fibry.bench.jmh;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.measure.MeasureListener;
import io.fibry.measure.MeasureOptions;
import io.fibry.measure.MeasuredGroup;
import java.util.Optional;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;

/** What looks at each message of a scope. */
public enum MeasuredBy {
    /** Nothing. */
    NOTHING,
    /** A listener for measures that times one of 1,000 messages, which is the default. */
    SAMPLE,
    /** A listener for measures that times each message. */
    EACH,
    /** A carrier of context that has nothing to carry, as tracing has where nothing is traced. */
    CARRIER,
    /** A recording of Java Flight Recorder without the event for slow messages, which is off unless a program enables it. */
    RECORDING,
    /** A recording with the event for slow messages. No message of the benchmark is slow enough for it. */
    RECORDING_SLOW;

    private static final String SLOW = "fibry.MessageHandled";
    private static final Runnable NOTHING_TO_GIVE_BACK = () -> {
    };
    private static final ContextCarrier.Captured EMPTY = () -> NOTHING_TO_GIVE_BACK;

    /** A listener that does nothing with what it is told. */
    private static final class Deaf implements MeasureListener {
        @Override
        public void onWait(MeasuredGroup group, long nanos) {
            // the cost of measuring alone
        }

        @Override
        public void onRun(MeasuredGroup group, long nanos) {
            // the cost of measuring alone
        }
    }

    ActorScope open() {
        var scope = ActorSystem.configure("bench");
        return (switch (this) {
            case NOTHING, RECORDING, RECORDING_SLOW -> scope;
            case SAMPLE -> scope.measures(new Deaf());
            case EACH -> scope.measures(new Deaf(), MeasureOptions.defaults().withOneOf(1));
            case CARRIER -> scope.carry(() -> EMPTY);
        }).open();
    }

    /** Starts the recording that has to run from before the first actor; empty if there is none. */
    Optional<Recording> record() {
        return switch (this) {
            case RECORDING -> Optional.of(start("fibry.MessageUndelivered"));
            case RECORDING_SLOW -> Optional.of(start(SLOW));
            default -> Optional.empty();
        };
    }

    private static Recording start(String event) {
        var recording = new Recording();
        recording.enable(event);
        recording.start();
        return recording;
    }

    /** Fails if the event for slow messages is not enabled where it is to be, or is enabled elsewhere. */
    void check() {
        var isEnabled =
                FlightRecorder.isInitialized() && FlightRecorder.getFlightRecorder().getEventTypes().stream()
                        .anyMatch(type -> type.getName().equals(SLOW) && type.isEnabled());
        if (isEnabled != (this == RECORDING_SLOW)) {
            throw new AssertionError(
                    "%s: %s is %s".formatted(this, SLOW, isEnabled ? "enabled" : "not enabled"));
        }
    }
}
