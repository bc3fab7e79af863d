package io.fibry.testing;

import io.fibry.Actor;
import java.util.concurrent.CountDownLatch;

/**
 * Keeps an actor busy until it is opened. The code that does it counts as one handled message. It is sent
 * by a thread of its own, which on {@code caller()} is the one that is kept.
 */
public final class Gate implements AutoCloseable {
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);
    private final Thread thread;

    private Gate(Actor<?, ?> actor) {
        thread = Thread.startVirtualThread(() -> actor.execAsync(() -> {
            entered.countDown();
            opened.await();
        }));
    }

    /** Returns once the actor is busy. */
    public static Gate in(Actor<?, ?> actor) throws InterruptedException {
        var gate = new Gate(actor);
        Waits.on(gate.entered);
        return gate;
    }

    public void open() {
        opened.countDown();
    }

    /** Opens it and waits for the thread that had it closed. */
    @Override
    public void close() {
        open();
        try {
            Waits.on(thread);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while it waited for " + thread, e);
        }
    }
}
