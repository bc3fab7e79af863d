package io.fibry.internal.net;

/** Whether this JVM has an HTTP server. A class of its own, as the others cannot even be loaded without. */
public final class HttpPresence {
    private HttpPresence() {
    }

    /** Fails with a remedy if it has none. */
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
