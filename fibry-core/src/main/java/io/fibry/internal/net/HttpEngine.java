package io.fibry.internal.net;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import com.sun.net.httpserver.spi.HttpServerProvider;
import io.fibry.internal.log.Logs;
import io.fibry.net.HttpOptions;
import io.fibry.net.TlsOptions;
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
     * The system properties for the JDK's server. Properties that the user has set stay. The server reads them once,
     * when its classes are loaded. With its own defaults it delays some answers by 40 ms, and closes idle
     * connections beyond 200. {@link HttpTraffic} limits how long a request may take. But on versions of Java where
     * a fiber that waits for a client holds its carrier, no fiber might get to run that cuts the client off, so the
     * engine's thread has to do it.
     */
    private static final Map<String, String> DEFAULTS = defaults();

    /** The first version of Java in which a fiber that waits in a synchronized block does not hold its carrier. */
    private static final int WAITS_WITHOUT_CARRIER = 24;
    private static final long CONNECTIONS = 20_000;
    private static final long FEWEST = 8;
    /** One part in this many of the files is not used for connections. */
    private static final long SPARE_PART = 4;

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

    /** Returns the limit of connections, which leaves some files to the process: see {@link HttpReserve}. */
    private static long connections() {
        var left = OpenFiles.left();
        return left.isEmpty()
                ? CONNECTIONS
                : Math.clamp(left.getAsLong() - HttpReserve.SOCKETS - left.getAsLong() / SPARE_PART, FEWEST,
                        CONNECTIONS);
    }

    /** Lets the JDK's server use TLS as the options say. */
    private static final class Configurator extends HttpsConfigurator {
        private final TlsOptions tls;

        Configurator(TlsOptions tls) {
            super(tls.context());
            this.tls = tls;
        }

        @Override
        public void configure(HttpsParameters parameters) {
            parameters.setSSLParameters(tls.parameters());
        }
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
                return provider.createHttpServer(options.address(), options.backlog());
            }
            HttpsServer secure = provider.createHttpsServer(options.address(), options.backlog());
            secure.setHttpsConfigurator(new Configurator(options.tls().get()));
            return secure;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot serve HTTP on " + options.address() + ": " + e.getMessage()
                    + "; choose another port, or 0 for any free one", e);
        }
    }

    /**
     * Returns whether this is the JDK's own server. It speaks HTTP/1 and passes requests of other versions on
     * unchanged.
     */
    static boolean isOfJdk(HttpServer server) {
        return server.getClass().getName().startsWith("sun.net.httpserver.");
    }

    /** Checks that the address can be bound, since the JDK's server leaves a socket open if it cannot bind it. */
    private static void requireFree(HttpOptions options) throws IOException {
        if (options.address().getPort() != 0) {
            try (var probe = new ServerSocket()) {
                probe.setReuseAddress(true);
                probe.bind(options.address());
            }
        }
    }
}
