package io.fibry.internal.actor;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The end of the time of a wait. It is the task of its own timer. */
public final class WaitLimit extends CompletableFuture<@Nullable Void> implements Runnable {
    @Override
    public void run() {
        complete(null);
    }
}
