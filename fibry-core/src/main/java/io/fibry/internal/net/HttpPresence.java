package io.fibry.internal.net;

/**
 * Checks whether this JVM has an HTTP server. This is a separate class, since the others cannot be loaded without
 * it.
 */
public final class HttpPresence {
    private HttpPresence() {
    }

    /** Throws {@link UnsupportedOperationException} if there is none. */
    public static void require() {
        try {
            Class.forName("com.sun.net.httpserver.spi.HttpServerProvider", false,
                    HttpPresence.class.getClassLoader());
        } catch (ClassNotFoundException absent) {
            throw new UnsupportedOperationException("an embedded HTTP server needs the module jdk.httpserver,"
                    + " which this JVM was started without; add it with --add-modules jdk.httpserver, or with"
                    + " 'requires jdk.httpserver' in the program's module-info", absent);
        }
    }
}
