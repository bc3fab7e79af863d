package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.function.Handler;
import io.fibry.message.Envelope;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An iterator, which an actor reads. */
final class IteratorSource implements PipelineSource {
    private final Iterator<?> values;
    private final @Nullable AutoCloseable resource;
    // Set before the pipeline asks for values.
    private @Nullable Actor<Request, Void> actor;
    private FusedStages.@Nullable Worker reader;

    /** So many values are to be read. Reports show the one that was read last. */
    private record Request(int count, FusedStages.Worker reader) implements Envelope {
        @Override
        public Object content() {
            return reader.content();
        }

        @Override
        public Optional<String> about() {
            return reader.about();
        }
    }

    /** @param resource is closed when the pipeline wants no more values; null if there is nothing to close */
    IteratorSource(Iterator<?> values, @Nullable AutoCloseable resource) {
        this.values = Objects.requireNonNull(values, "values");
        this.resource = resource;
    }

    @Override
    public void start(PipelineCore<?> pipeline, ActorScope scope, String name) {
        reader = pipeline.reader();
        actor = scope.named(name).strategy(Marks.threads())
                .onExit(() -> pipeline.failIfRunning(Production.stopped(scope.name())))
                .newActor(Handler.shownAs(pipeline.code(values),
                        (Request request) -> read(pipeline, request.count())));
    }

    private void read(PipelineCore<?> pipeline, int count) throws Exception {
        var mine = Objects.requireNonNull(reader);
        var start = pipeline.now();
        for (int left = count; left > 0 && pipeline.wantsValues(); left--) {
            if (pipeline.isOver(mine, count - left, start)) {
                pipeline.ended(mine, count - left, start);
                pipeline.ask(left);
                return;
            }
            Object value;
            try {
                if (!values.hasNext()) {
                    pipeline.endSource(null);
                    return;
                }
                value = Objects.requireNonNull(values.next(),
                        "the source has a null value; give it a value that stands for it, or leave it out");
            } catch (Throwable failure) {
                pipeline.endSource(failure);
                return;
            }
            try {
                pipeline.offer(value);
            } catch (Throwable reported) {
                pipeline.ask(left - 1);
                throw reported;
            }
        }
        pipeline.ended(mine, count, start);
    }

    @Override
    public boolean ask(int count) {
        return Objects.requireNonNull(actor).sendMessage(new Request(count, Objects.requireNonNull(reader)));
    }

    @Override
    public void close() throws Exception {
        if (resource != null) {
            resource.close();
        }
    }
}
