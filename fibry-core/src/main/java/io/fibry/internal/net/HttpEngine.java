package io.fibry.internal.net;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import com.sun.net.httpserver.spi.HttpServerProvider;
import io.fibry.internal.log.Logs;
import io.fibry.net.HttpOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;

/** The JDK's HTTP server, or the provider that takes its place on the class path. */
final class HttpEngine {
    private static final Logger LOG = Logs.of("io.fibry.net.http");

    /**
     * What the JDK's server is told unless the user has told it something else. It reads these once, when its
     * classes are loaded. Its own defaults delay answers by 40 ms now and then, and close all but 200 idle
     * connections. How long a request may take is left to {@link HttpTraffic}, which looks whether it comes on; but where a
     * fiber that waits for a client holds its carrier, nobody might get to cut it off, so the engine's thread has to.
     */
    private static final Map<String, String> DEFAULTS = defaults();

    /** The Java from which on a fiber that waits in a synchronized block holds no carrier. */
    private static final int WAITS_WITHOUT_CARRIER = 24;
    private static final long CONNECTIONS = 20_000;
    private static final long FEWEST = 8;
    /** That part of the files is not for connections. */
    private static final long SPARE_PART = 4;

    /** How many connections may wait to be accepted; with the default of 50 a crowd of clients waits seconds. */
    private static final int BACKLOG = 4_096;

    private HttpEngine() {
    }

    private static Map<String, String> defaults() {
        var defaults = new HashMap<>(Map.of(
                "sun.net.httpserver.nodelay", "true",
                "sun.net.httpserver.maxIdleConnections", "10000",
                "jdk.httpserver.maxConnections", Long.toString(connections())));
        if (Runtime.version().feature() < WAITS_WITHOUT_CARRIER) {
            defaults.put("sun.net.httpserver.maxReqTime", "60");
        }
        return defaults;
    }

    /** Not so many that no file can be opened any more: see {@link HttpReserve}. */
    private static long connections() {
        var left = OpenFiles.left();
        return left.isEmpty()
                ? CONNECTIONS
                : Math.clamp(left.getAsLong() - HttpReserve.SOCKETS - left.getAsLong() / SPARE_PART, FEWEST,
                        CONNECTIONS);
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
