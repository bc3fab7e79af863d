package io.fibry.flow;

/** A publisher that starts a pipeline for each subscriber. */
final class PipelinePublisher<T> extends ScopedPublisher<T> {
    private final PipelinePlan<T> plan;

    PipelinePublisher(PipelinePlan<T> plan) {
        super(plan.scope(), plan.name(), FlowOptions.usual());
        this.plan = plan;
    }

    /** A pipeline that runs for one subscriber. */
    private record Running<T>(PipelineCore<Object> pipeline, Supply<T> supply) implements ValueOrigin<T> {
        @Override
        public void start() {
            // It runs already.
        }

        @Override
        public void fail(Throwable failure) {
            pipeline.failIfRunning(failure);
        }
    }

    /** A pipeline that could not be started. */
    private record Failed<T>(PushedValues<T> supply) implements ValueOrigin<T> {
        @Override
        public void start() {
            // It has failed already.
        }

        @Override
        public void fail(Throwable failure) {
            supply.fail(failure);
        }
    }

    @Override
    @SuppressWarnings("unchecked") // the last stage makes values of this type
    ValueOrigin<T> connect(Emission<T> emission) {
        try {
            var pipeline = plan.start(inside(), emission::wake);
            return new Running<>(pipeline, (Supply<T>) pipeline.outlet());
        } catch (Throwable failure) {
            var nothing = new PushedValues<T>(name(), options(), emission::wake, () -> {
            });
            nothing.fail(failure);
            return new Failed<>(nothing);
        }
    }
}
