package io.fibry.internal.scope;

import io.fibry.internal.run.KeepAliveThread;
import io.fibry.time.Cancellable;
import org.jspecify.annotations.Nullable;

/**
 * What refers to an open scope from outside: the hook that closes it at the JVM's shutdown, the thread that keeps the JVM
 * running, and the clock that follows it. They are set when the scope is opened and released when it has ended. A scope
 * may end while it is being opened; whoever opens it looks for that afterwards and releases them again.
 */
final class ScopeAnchors {
    private final Scope scope;
    private volatile @Nullable AtShutdown atShutdown;
    private volatile @Nullable KeepAliveThread lifeline;
    private volatile @Nullable Cancellable followed;

    ScopeAnchors(Scope scope) {
        this.scope = scope;
    }

    void set(ScopeSpec spec) {
        var around = spec.parent();
        if (around == null || around.time() != spec.time()) {
            followed = spec.time().follow(new RestDetector(scope));
        }
        if (spec.closesAtShutdown()) {
            atShutdown = AtShutdown.close(scope);
        }
        if (spec.keepsJvmAlive()) {
            lifeline = KeepAliveThread.of(scope.name());
        }
    }

    /** Any number of times. */
    void release() {
        if (atShutdown != null) {
            atShutdown.forget();
        }
        if (lifeline != null) {
            lifeline.cut();
        }
        if (followed != null) {
            followed.cancel();
        }
    }
}
