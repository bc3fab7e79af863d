package io.fibry.flow;

import io.fibry.CreationStrategy;
import java.util.function.Supplier;

/** Starts pipelines for a scenario. */
public final class PipelineProbe {
    private PipelineProbe() {
    }

    /** Starts a pipeline whose source runs on other threads than fibers. */
    public static <R> PipelineRun<R> start(Runnable hook, CreationStrategy threads,
            Supplier<PipelineRun<R>> start) {
        Marks.hook(hook);
        Marks.threads(threads);
        try {
            return start.get();
        } finally {
            Marks.threads(CreationStrategy.fibers());
        }
    }
}
