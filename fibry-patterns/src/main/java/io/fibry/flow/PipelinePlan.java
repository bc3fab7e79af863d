package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Collector;
import java.util.stream.Collectors;

/** A pipeline that does not run yet. */
record PipelinePlan<T>(ActorScope scope, String name, Supplier<PipelineSource> source, List<Stage> stages)
        implements
            PipelineBuilder<T> {

    /** The work of a stage, and its options. */
    record Stage(ReplyHandler<Object, ?> function, StageOptions options) {
    }

    PipelinePlan {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(name, "name");
        stages = List.copyOf(stages);
    }

    @SuppressWarnings("unchecked") // the builder before has made the values of this type
    private static Stage stage(ReplyHandler<?, ?> function, StageOptions options) {
        Objects.requireNonNull(function, "function");
        return new Stage((ReplyHandler<Object, ?>) function, Objects.requireNonNull(options, "options"));
    }

    private List<Stage> with(Stage last) {
        var all = new ArrayList<>(stages);
        all.add(last);
        return all;
    }

    @Override
    public <U> PipelineBuilder<U> then(ReplyHandler<? super T, ? extends U> function, StageOptions options) {
        return new PipelinePlan<>(scope, name, source, with(stage(function, options)));
    }

    private static List<StageState> states(List<Stage> stages) {
        var made = new ArrayList<StageState>();
        for (var stage : stages) {
            var given = stage.options().name();
            made.add(new StageState(given.isEmpty() ? "stage-" + (made.size() + 1) : given, stage.function(),
                    stage.options()));
        }
        return made;
    }

    private <R> PipelineRun<R> start(Stage last, LongFunction<? extends R> finisher) {
        return PipelineCore.start(name, scope, source, states(with(last)), finisher, () -> {
        });
    }

    @Override
    public PipelineRun<Long> forEach(Handler<? super T> consumer, StageOptions options) {
        Objects.requireNonNull(consumer, "consumer");
        ReplyHandler<T, Object> function = value -> {
            consumer.handle(value);
            return value;
        };
        return start(stage(function, options), Long::valueOf);
    }

    @Override
    public <R> PipelineRun<R> collect(Collector<? super T, ?, R> collector) {
        return collecting(collector);
    }

    private <A, R> PipelineRun<R> collecting(Collector<? super T, A, R> collector) {
        var container = collector.supplier().get();
        var accumulator = collector.accumulator();
        ReplyHandler<T, Object> function = value -> {
            accumulator.accept(container, value);
            return value;
        };
        return start(stage(function, StageOptions.usual().withName("result")),
                count -> collector.finisher().apply(container));
    }

    @Override
    public PipelineRun<List<T>> toList() {
        return collect(Collectors.toUnmodifiableList());
    }

    @Override
    public FlowPublisher<T> publisher() {
        return new PipelinePublisher<>(this);
    }

    /** Starts the pipeline for a subscriber, in the scope of its publisher. */
    PipelineCore<Object> start(ActorScope publisher, Runnable wakeUp) {
        var states = states(stages);
        var options = stages.isEmpty() ? StageOptions.usual() : stages.getLast().options();
        states.add(new StageState("subscriber", null, options));
        return PipelineCore.start(name, publisher, source, states, count -> "", wakeUp);
    }
}
