package io.fibry.internal.run;

import java.util.concurrent.locks.LockSupport;

/** Keeps the JVM alive until it is cut: a platform thread that is no daemon and does nothing. */
public final class KeepAliveThread {
    private final Thread thread;
    private volatile boolean cut;

    private KeepAliveThread(String scope) {
        thread = Thread.ofPlatform().daemon(false).inheritInheritableThreadLocals(false)
                .name("fibry-keep-alive-" + scope).unstarted(this::hold);
    }

    public static KeepAliveThread of(String scope) {
        var lifeline = new KeepAliveThread(scope);
        lifeline.thread.start();
        return lifeline;
    }

    private void hold() {
        while (!cut) {
            LockSupport.park(this);
        }
    }

    public void cut() {
        cut = true;
        LockSupport.unpark(thread);
    }
}
