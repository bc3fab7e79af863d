package io.fibry.internal.handle;

import io.fibry.function.Body;
import io.fibry.internal.report.ShownAs;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Runs code that has no result as a {@link Callable}. */
public record BodyCall(Body code) implements Callable<@Nullable Object>, ShownAs {
    @Override
    public @Nullable Object call() throws Exception {
        code.run();
        return null;
    }
}
