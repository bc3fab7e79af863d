package io.fibry.internal.scope;

/** Closes a scope when the JVM shuts down. */
final class AtShutdown {
    private final Thread hook;

    private AtShutdown(Scope scope) {
        hook = Thread.ofPlatform().inheritInheritableThreadLocals(false)
                .name("fibry-shutdown-" + scope.name())
                .unstarted(scope::close);
    }

    /** Throws {@link IllegalStateException} if the JVM is shutting down already. */
    static AtShutdown close(Scope scope) {
        var atShutdown = new AtShutdown(scope);
        Runtime.getRuntime().addShutdownHook(atShutdown.hook);
        return atShutdown;
    }

    /** The scope is closed: the JVM need not remember it. */
    void forget() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            return; // and it forgets everything
        }
    }
}
