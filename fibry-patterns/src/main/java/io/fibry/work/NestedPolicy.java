package io.fibry.work;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One policy around another one. */
record NestedPolicy(CallPolicy outer, CallPolicy inner) implements CallPolicy {
    @Override
    public <T extends @Nullable Object> CompletableFuture<T> start(Call<T> call) {
        Objects.requireNonNull(call, "call");
        return outer.start(() -> inner.start(call));
    }
}
