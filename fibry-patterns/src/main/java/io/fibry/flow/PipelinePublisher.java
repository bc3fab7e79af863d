package io.fibry.flow;

/** A publisher that starts a pipeline for each subscriber. */
final class PipelinePublisher<T> extends ScopedPublisher<T> {
    private final PipelinePlan<T> plan;

    PipelinePublisher(PipelinePlan<T> plan) {
        super(plan.scope(), plan.name(), FlowOptions.usual());
        this.plan = plan;
    }

    @Override
    @SuppressWarnings("unchecked") // the last stage makes values of this type
    ValueOrigin<T> connect(Emission<T> emission) {
        Supply<T> supply;
        try {
            supply = (Supply<T>) plan.start(inside(), emission::wake).outlet();
        } catch (Throwable failure) {
            supply = new PushedValues<>(name(), options(), emission::wake, () -> {
            });
            supply.fail(failure);
        }
        return new ValueOrigin<>(supply, () -> {
            // The pipeline runs already.
        });
    }
}
