package io.fibry.robust;

import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** Runs on a thread of its own what may not return. */
public final class Aside {
    private Aside() {
    }

    public static <T> Future<T> run(Callable<T> code) {
        var task = new FutureTask<>(code);
        Thread.ofPlatform().daemon().name("aside").start(task);
        return task;
    }
}
