package io.fibry.internal.run;

import java.util.concurrent.locks.LockSupport;

/** A platform thread that is not a daemon and does nothing. It keeps the JVM alive until it is ended. */
public final class KeepAliveThread {
    private final Thread thread;
    /** Set by closers before they unpark. */
    private volatile boolean ended;

    private KeepAliveThread(String scope) {
        thread = Thread.ofPlatform().daemon(false).inheritInheritableThreadLocals(false)
                .name("fibry-keep-alive-" + scope).unstarted(this::await);
    }

    public static KeepAliveThread of(String scope) {
        var keepAlive = new KeepAliveThread(scope);
        keepAlive.thread.start();
        return keepAlive;
    }

    private void await() {
        while (!ended) {
            LockSupport.park(this);
        }
    }

    public void end() {
        ended = true;
        LockSupport.unpark(thread);
    }
}
