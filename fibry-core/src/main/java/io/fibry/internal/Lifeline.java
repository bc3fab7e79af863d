package io.fibry.internal;

import java.util.concurrent.locks.LockSupport;

/** Keeps the JVM alive until it is cut: a platform thread that is no daemon and does nothing. */
final class Lifeline {
    private final Thread thread;
    private volatile boolean cut;

    private Lifeline(String scope) {
        thread = Thread.ofPlatform().daemon(false).inheritInheritableThreadLocals(false)
                .name("fibry-keep-alive-" + scope).unstarted(this::hold);
    }

    static Lifeline of(String scope) {
        var lifeline = new Lifeline(scope);
        lifeline.thread.start();
        return lifeline;
    }

    private void hold() {
        while (!cut) {
            LockSupport.park(this);
        }
    }

    void cut() {
        cut = true;
        LockSupport.unpark(thread);
    }
}
