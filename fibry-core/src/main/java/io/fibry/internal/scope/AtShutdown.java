package io.fibry.internal.scope;

/** The shutdown hook of the JVM that closes a scope. */
final class AtShutdown {
    private final Thread hook;

    private AtShutdown(Scope scope) {
        hook = Thread.ofPlatform().inheritInheritableThreadLocals(false)
                .name("fibry-shutdown-" + scope.name())
                .unstarted(scope::close);
    }

    /**
     * Registers a hook that closes the scope. Throws {@link IllegalStateException} if the JVM is already shutting
     * down.
     */
    static AtShutdown close(Scope scope) {
        var atShutdown = new AtShutdown(scope);
        Runtime.getRuntime().addShutdownHook(atShutdown.hook);
        return atShutdown;
    }

    /** Removes the hook, since the scope is closed. */
    void forget() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            return; // the JVM ends, and the hook with it
        }
    }
}
