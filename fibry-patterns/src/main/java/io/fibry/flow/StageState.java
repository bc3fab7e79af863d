package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.event.Undelivered;
import io.fibry.function.ReplyHandler;
import io.fibry.message.Envelope;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One stage of a pipeline that runs. Guarded by the lock of the pipeline. */
final class StageState {
    final String name;
    final @Nullable ReplyHandler<Object, ?> function;
    final StageOptions options;
    /** Null for the last stage. Set before the pipeline starts. */
    @Nullable StageState next;
    final ArrayDeque<Object> queue = new ArrayDeque<>();
    /** The values that were begun and have not left, in the order in which they came, if the stage keeps it. */
    final ArrayDeque<Slot> started = new ArrayDeque<>();
    final ArrayDeque<Worker> idle = new ArrayDeque<>();
    /** Places in the queue for values that the stage before works on. */
    int reserved;
    int running;
    int working;
    long in;
    long out;
    long failed;
    long cancelled;

    /** One of the actors that work for the stage. It is also the message of this actor: reports show the class of its value. */
    static final class Worker implements Envelope {
        final StageState stage;
        private final String pipeline;
        /** The value that it has begun last, for reports. Written by the actor. */
        private volatile Object content = "no value";
        /** Set before the worker is idle for the first time. */
        @Nullable Actor<Object, Void> actor;
        /** The value that it works on. */
        @Nullable Slot slot;
        /** What it has thrown last, to be reported. */
        @Nullable Throwable reported;

        Worker(StageState stage, String pipeline) {
            this.stage = stage;
            this.pipeline = pipeline;
        }

        void works(Object value) {
            content = value;
        }

        @Override
        public Object content() {
            return content;
        }

        @Override
        public Optional<String> about() {
            return Optional.of(stage.name + " of pipeline " + pipeline);
        }

        /** When the actor has ended, its values have the fates that the progress shows. */
        @Override
        public boolean isLossReported(Undelivered.Cause cause) {
            return Emission.isReported(cause);
        }
    }

    /** A value that was begun, and what became of it. */
    static final class Slot {
        final Object value;
        @Nullable Object result;
        boolean isDone;
        boolean isGivenUp;

        Slot(Object value) {
            this.value = value;
        }
    }

    /** @param function null for the place where values wait for a subscriber */
    StageState(String name, @Nullable ReplyHandler<Object, ?> function, StageOptions options) {
        this.name = name;
        this.function = function;
        this.options = options;
    }

    /** Tells whether a worker may take a value. */
    boolean mayBegin() {
        return !queue.isEmpty() && (next == null || next.room() > 0);
    }

    /** Tells whether values that are done wait for earlier ones. The last stage keeps no order, since nothing follows it. */
    boolean keepsOrder() {
        return options.ordered() && next != null;
    }

    int room() {
        return options.capacity() - queue.size() - reserved;
    }

    void add(Object value) {
        queue.add(value);
        in++;
    }

    void giveUp() {
        cancelled += queue.size();
        queue.clear();
    }

    StageProgress progress() {
        return new StageProgress(name, in, out, failed, cancelled, queue.size(), working);
    }
}
