package io.fibry.internal.net;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import com.sun.net.httpserver.spi.HttpServerProvider;
import io.fibry.internal.Logs;
import io.fibry.net.HttpOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.Map;
import org.slf4j.Logger;

/** The JDK's HTTP server, or the provider that takes its place on the class path. */
final class HttpEngine {
    private static final Logger LOG = Logs.of("io.fibry.net.http");

    /**
     * What the JDK's server is told unless the user has told it something else. It reads these once, when its
     * classes are loaded. Its own defaults delay answers by 40 ms now and then, close all but 200 idle connections,
     * and wait for a request for ever.
     */
    static final Map<String, String> DEFAULTS = Map.of(
            "sun.net.httpserver.nodelay", "true",
            "sun.net.httpserver.maxIdleConnections", "10000",
            "sun.net.httpserver.maxReqTime", "60",
            "jdk.httpserver.maxConnections", "20000");

    /** How many connections may wait to be accepted; with the default of 50 a crowd of clients waits seconds. */
    private static final int BACKLOG = 4_096;

    private HttpEngine() {
    }

    /** Binds a server, which is not started yet. */
    static HttpServer bind(HttpOptions options) {
        DEFAULTS.forEach((name, value) -> {
            if (System.getProperty(name) == null) {
                System.setProperty(name, value);
            }
        });
        var provider = HttpServerProvider.provider();
        LOG.debug("HTTP server by {}", provider);
        try {
            requireFree(options);
            if (options.tls().isEmpty()) {
                return provider.createHttpServer(options.address(), BACKLOG);
            }
            HttpsServer secure = provider.createHttpsServer(options.address(), BACKLOG);
            secure.setHttpsConfigurator(new HttpsConfigurator(options.tls().get()));
            return secure;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot serve HTTP on " + options.address() + ": " + e.getMessage()
                    + "; choose another port, or 0 for any free one", e);
        }
    }

    /** Whether this is the JDK's own server, which speaks HTTP/1 and hands other versions on as it finds them. */
    static boolean isOfJdk(HttpServer server) {
        return server.getClass().getName().startsWith("sun.net.httpserver.");
    }

    /** The JDK's server leaves a socket open when it cannot bind it; so this one tries before. */
    private static void requireFree(HttpOptions options) throws IOException {
        if (options.address().getPort() != 0) {
            try (var probe = new ServerSocket()) {
                probe.setReuseAddress(true);
                probe.bind(options.address());
            }
        }
    }
}
