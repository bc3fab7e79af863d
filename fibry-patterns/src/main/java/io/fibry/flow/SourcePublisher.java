package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.function.ReplyHandler;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A publisher that connects each subscriber to a source that pushes values. */
final class SourcePublisher<T> extends ScopedPublisher<T> {
    private final ReplyHandler<FlowSink<T>, AutoCloseable> source;

    SourcePublisher(ActorScope parent, String name, FlowOptions options,
            ReplyHandler<FlowSink<T>, AutoCloseable> source) {
        super(parent, name, options);
        this.source = source;
    }

    /** Stands for a connection that has ended. */
    private enum Ended implements AutoCloseable {
        ENDED;

        @Override
        public void close() {
            // It is closed.
        }
    }

    /** The connection of one subscriber. It is closed once: by its end, or when it is made if its end came first. */
    private static final class Link<T> {
        private final ReplyHandler<FlowSink<T>, AutoCloseable> source;
        private final AtomicReference<@Nullable AutoCloseable> connection = new AtomicReference<>();
        private final PushedValues<T> values;

        Link(String name, FlowOptions options, ReplyHandler<FlowSink<T>, AutoCloseable> source,
                Runnable wakeUp) {
            this.source = source;
            this.values = new PushedValues<>(name, options, wakeUp, this::disconnect);
        }

        void start() throws Exception {
            var made = Objects.requireNonNull(source.handle(values),
                    () -> "a source has returned null instead of its connection");
            if (!connection.compareAndSet(null, made)) {
                made.close();
            }
        }

        private void disconnect() {
            var made = connection.getAndSet(Ended.ENDED);
            if (made == null || made == Ended.ENDED) {
                return;
            }
            try {
                made.close();
            } catch (RuntimeException unchecked) {
                throw unchecked;
            } catch (Exception checked) {
                throw new IllegalStateException("a source could not be disconnected", checked);
            }
        }
    }

    @Override
    ValueOrigin<T> connect(Emission<T> emission) {
        var link = new Link<T>(name(), options(), source, emission::wake);
        return new ValueOrigin<>(link.values, link::start);
    }
}
