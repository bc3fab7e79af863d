package io.fibry.internal.deadline;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Lets scenarios play with the way in which late answers are completed. */
public final class LineProbe<T> {
    private final LateAnswers.Line<T> line;

    public LineProbe(Executor fibers, Consumer<T> step) {
        line = new LateAnswers.Line<>(fibers, 64, step);
    }

    public void add(T thing) {
        line.add(thing);
    }
}
