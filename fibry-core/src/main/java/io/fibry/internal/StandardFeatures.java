package io.fibry.internal;

import org.jspecify.annotations.Nullable;

/** The features of the library. */
final class StandardFeatures implements Features {
    static final Features INSTANCE = new StandardFeatures();

    private StandardFeatures() {
    }

    @Override
    public Supervision newSupervision() {
        return new SupervisionState();
    }

    @Override
    public @Nullable Recovery decide(Turn turn, Throwable failure, boolean atStart, boolean canGoOn) {
        return FailureDecision.run(turn, failure, atStart, canGoOn);
    }

    @Override
    public TimerSet newTimers(Cell cell) {
        return new ActorTimers(cell);
    }
}
