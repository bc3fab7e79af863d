package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An iterator, which an actor reads. The actor has one message for each value that was asked for. */
final class IteratorSource implements PipelineSource {
    private final Iterator<?> values;
    private final @Nullable AutoCloseable resource;
    private @Nullable Actor<Integer, Void> actor;

    /** @param resource is closed when the pipeline wants no more values; null if there is nothing to close */
    IteratorSource(Iterator<?> values, @Nullable AutoCloseable resource) {
        this.values = Objects.requireNonNull(values, "values");
        this.resource = resource;
    }

    @Override
    public void start(PipelineCore<?> pipeline, ActorScope scope, String name) {
        actor = scope.named(name).strategy(CreationStrategy.fibers())
                .onExit(() -> pipeline.failIfRunning(Production.stopped(scope.name())))
                .newActor((ActorContext<Integer, Void> context, Integer count) -> read(pipeline, count));
    }

    private void read(PipelineCore<?> pipeline, int count) {
        try {
            for (int i = 0; i < count && pipeline.wantsValues(); i++) {
                if (!values.hasNext()) {
                    pipeline.endSource(null);
                    return;
                }
                pipeline.offer(Objects.requireNonNull(values.next(),
                        "the source has a null value; give it a value that stands for it, or leave it out"));
            }
        } catch (Throwable failure) {
            pipeline.endSource(failure);
        }
    }

    @Override
    public boolean ask(int count) {
        return Objects.requireNonNull(actor).sendMessage(count);
    }

    @Override
    public void close() throws Exception {
        if (resource != null) {
            resource.close();
        }
    }
}
