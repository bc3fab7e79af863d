package io.fibry.internal.actor;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A future that completes when the time limit of a wait is over. It is itself the task of its timer. */
public final class WaitLimit extends CompletableFuture<@Nullable Void> implements Runnable {
    @Override
    public void run() {
        complete(null);
    }
}
