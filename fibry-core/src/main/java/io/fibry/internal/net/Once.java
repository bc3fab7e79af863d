package io.fibry.internal.net;

import java.util.concurrent.atomic.AtomicBoolean;

/** Runs a piece of code when it is called for the first time. */
final class Once implements Runnable {
    private final Runnable code;
    private final AtomicBoolean done = new AtomicBoolean();

    Once(Runnable code) {
        this.code = code;
    }

    @Override
    public void run() {
        if (done.compareAndSet(false, true)) {
            code.run();
        }
    }
}
