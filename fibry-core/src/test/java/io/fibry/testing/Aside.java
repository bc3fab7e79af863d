package io.fibry.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Runs on a thread of its own what may not return. */
public final class Aside {
    private Aside() {
    }

    public static <T> CompletableFuture<T> run(Callable<T> code) {
        var result = new CompletableFuture<T>();
        Thread.ofPlatform().daemon().name("aside").start(() -> {
            try {
                result.complete(code.call());
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }
}
