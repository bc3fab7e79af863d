package io.fibry.web.internal;

import io.fibry.ActorBuilder;
import io.fibry.internal.log.Logs;
import io.fibry.internal.net.HttpService;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.web.WebOptions;
import io.fibry.web.WebSocketClose;
import io.fibry.web.WebSocketRoute;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;

/** What the connections of a web server share beside HTTP/1.1, which fibry-core serves. */
public final class WebSite {
    static final WebSocketClose GOING_AWAY =
            new WebSocketClose(WebSocketClose.GOING_AWAY, "the server is being stopped");
    private static final Logger LOG = Logs.of("io.fibry.web");

    private final WebOptions options;
    private final Engine engine;
    private final ClientPlaces places;
    private final AtomicBoolean hasWarned = new AtomicBoolean();

    private WebSite(WebOptions options) {
        this.options = options;
        engine = new Engine(options);
        places = new ClientPlaces(options);
    }

    /**
     * Starts a server.
     *
     * @param builder determines the scope of the server and the strategy of its handlers
     * @param options the options of the server
     * @param routes the routes, whose handlers answer the requests
     * @return the server
     */
    public static Server start(ActorBuilder builder, WebOptions options, HttpRoutes routes) {
        Objects.requireNonNull(options, "options");
        var sockets = routes.routes().stream().filter(route -> route.handler() instanceof WebSocketRoute)
                .toList();
        var shortest = sockets.stream().map(route -> ((WebSocketRoute) route.handler()).options())
                .flatMap(o -> Stream.of(o.idleTimeout().dividedBy(2), o.writeLimit(), o.closeLimit()))
                .min(Duration::compareTo).orElse(options.idleTimeout());
        var site = new WebSite(options);
        return HttpService.start("web", builder, options.http(),
                new HttpService.Limits(options.connections(), options.idleTimeout(), shortest), routes,
                (service, tcp, accepted) -> new WebConnection(site, service, tcp, accepted));
    }

    WebOptions options() {
        return options;
    }

    Engine engine() {
        return engine;
    }

    ClientPlaces places() {
        return places;
    }

    /** Logs that a client has as many connections as it may: the first time as a warning, since it may be a proxy. */
    void logFull(WebConnection connection, InetAddress client) {
        if (hasWarned.compareAndSet(false, true)) {
            LOG.warn(
                    "{} is closed, and so are further ones of a client that has {} already, the limit connectionsPerClient of"
                            + " WebOptions: if {} is a proxy, raise the limit",
                    connection.name(), places.most(), client);
        } else {
            LOG.debug("{} is closed: {} has {} connections already", connection.name(), client,
                    places.most());
        }
    }
}
