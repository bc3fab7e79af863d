package io.fibry.inside;

import java.net.URI;

/**
 * A page for the browser that shows what all actors of this JVM do, live.
 *
 * <pre>{@code
 * try (var inside = Inside.open(7070)) {
 *     System.out.println("look inside: " + inside.address());
 *     …
 * }
 * }</pre>
 *
 * <p>The page only reads, but for the {@linkplain InsideOptions#worklist worklists} that a program gives it. A program without
 * a browser that looks does no work for it, except that a server listens. While a browser looks, a dump of the actors is taken
 * about once a second ({@link io.fibry.dump.DumpOptions}), for all browsers together, and a listener gets the events of all
 * scopes ({@link io.fibry.ActorScope#listen}); what is logged stays the same.
 *
 * <p>The server is an actor of a scope of its own, {@value #SCOPE}, which the page does not show. Objects of this interface are
 * thread-safe.
 */
public sealed interface Inside extends AutoCloseable permits LivePage {
    /** The name of the scope in which the page is served. */
    String SCOPE = "fibry-inside";

    /**
     * Opens the page on a port of 127.0.0.1, which only programs of this machine can reach.
     *
     * @param port the port; 0 chooses any free port
     * @return the page, which is served until it is closed
     * @throws java.io.UncheckedIOException if the port cannot be used
     */
    static Inside open(int port) {
        return open(InsideOptions.localPort(port));
    }

    /**
     * Opens the page.
     *
     * @param options where it is served, and to whom
     * @return the page, which is served until it is closed
     * @throws java.io.UncheckedIOException if the address cannot be used
     */
    static Inside open(InsideOptions options) {
        return LivePage.open(options);
    }

    /**
     * Returns the port on which the page is served. If the options have the port 0, this is the port that was chosen.
     *
     * @return the port, which stays the same after the close
     */
    int port();

    /**
     * Returns the address to open in a browser. It contains the token, if the options have one, so do not write it where others
     * read it.
     *
     * @return the address, which stays the same after the close
     */
    URI address();

    /** Closes the page: no socket, thread or timer of it is left. Closing it again has no effect. */
    @Override
    void close();
}
