package io.fibry.bench.jmh;

import io.fibry.ActorScope;
import io.fibry.ContextCarrier;
import io.fibry.measure.MeasureListener;
import io.fibry.measure.MeasureOptions;
import io.fibry.measure.MeasuredGroup;

/** What looks at each message of a scope. */
public enum MeasuredBy {
    /** Nothing. */
    NOTHING,
    /** A listener for measures that times one of 1,000 messages, which is the default. */
    SAMPLE,
    /** A listener for measures that times each message. */
    EACH,
    /** A carrier of context that has nothing to carry, as tracing has where nothing is traced. */
    CARRIER;

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
        var scope = ActorScope.configure("bench");
        return (switch (this) {
            case NOTHING -> scope;
            case SAMPLE -> scope.measures(new Deaf());
            case EACH -> scope.measures(new Deaf(), MeasureOptions.defaults().withOneOf(1));
            case CARRIER -> scope.carry(() -> EMPTY);
        }).open();
    }
}
