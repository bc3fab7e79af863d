package io.fibry.internal.actor;

import io.fibry.function.Body;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A piece of code without a result, as one that has a result. */
public record BodyCall(Body code) implements Callable<@Nullable Object> {
    @Override
    public @Nullable Object call() throws Exception {
        code.run();
        return null;
    }
}
