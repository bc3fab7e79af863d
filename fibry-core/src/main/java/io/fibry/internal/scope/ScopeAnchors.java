package io.fibry.internal.scope;

import io.fibry.internal.run.KeepAliveThread;
import io.fibry.time.Cancellable;
import org.jspecify.annotations.Nullable;

/**
 * The references to an open scope from outside: the hook that closes it when the JVM shuts down, the thread that
 * keeps the JVM running, and the clock that follows the scope. They are set when the scope is opened and released
 * when it has ended. A scope may end while it is being opened; the thread that opens it checks this afterwards and
 * releases them again.
 */
final class ScopeAnchors {
    private final Scope scope;
    /** Set by the opener. */
    private volatile @Nullable AtShutdown atShutdown;
    /** Set by the opener. */
    private volatile @Nullable KeepAliveThread keepAlive;
    /** Set by the opener. */
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
            keepAlive = KeepAliveThread.of(scope.name());
        }
    }

    /** Releases all of them. This method may be called several times. */
    void release() {
        if (atShutdown != null) {
            atShutdown.forget();
        }
        if (keepAlive != null) {
            keepAlive.end();
        }
        if (followed != null) {
            followed.cancel();
        }
    }
}
