package io.fibry.web.internal;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.ReceivingContext;
import io.fibry.Stereotypes;
import io.fibry.StopReport;
import io.fibry.internal.log.Logs;
import io.fibry.internal.net.HttpDesk;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.Builder;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import io.fibry.time.TimeSource;
import io.fibry.web.WebOptions;
import io.fibry.web.WebSocketClose;
import io.fibry.web.WebSocketRoute;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A web server. It consists of a TCP server of fibry-core, which accepts, limits and stops connections and whose
 * workers let Helidon serve HTTP on them, and of a scope with the actors of requests and web sockets.
 *
 * <p>A worker lists its connection and then reads whether the server is stopping. A stop sets {@code stopping} and then
 * reads the list. So no connection is missed.
 */
public final class WebListener implements Server {
    static final WebSocketClose GOING_AWAY =
            new WebSocketClose(WebSocketClose.GOING_AWAY, "the server is being stopped");
    private static final Logger LOG = Logs.of("io.fibry.web");
    /** How long actors may take to end after their connections are closed. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final WebOptions options;
    private final TimeSource time;
    private final Duration closeTimeout;
    private final ActorScope crew;
    private final HttpDesk desk;
    private final Engine engine;
    private final Sweep sweep;
    private final Set<WebConnection> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong numbers = new AtomicLong();
    private final ClientPlaces places;
    private final AtomicBoolean hasWarned = new AtomicBoolean();
    /** Set by the opener, before the server is published. */
    private volatile @Nullable Server tcp;
    /**
     * Represents this server in the scope of the user: the end of the actor is the end of the server, and the
     * other way round. Set by the opener, before the server is published.
     */
    private volatile @Nullable Actor<Object, Void> anchor;
    /** Set by stoppers, before they read the list of connections; a connection is listed before this is read. */
    private volatile boolean stopping;
    /**
     * Whether a stop has been called, so that the end of the scope need not stop the server. Set by stoppers,
     * before the pill is sent.
     */
    private volatile boolean called;

    private WebListener(ServerBuilder builder, WebOptions options, HttpRoutes routes) {
        this.options = options;
        time = builder.time();
        places = new ClientPlaces(options);
        closeTimeout = builder.closeTimeout();
        crew = builder.crew("web");
        desk = new HttpDesk(builder, crew, options.http(), routes);
        engine = new Engine(options, new Requests(desk));
        sweep = new Sweep(time, open, options, routes, this::cut);
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
        Objects.requireNonNull(routes, "routes");
        var sockets = routes.routes().stream().filter(route -> route.handler() instanceof WebSocketRoute)
                .findFirst();
        if (!options.http1() && sockets.isPresent()) {
            throw new IllegalArgumentException("the route " + sockets.get().path()
                    + " opens web sockets over HTTP/1.1, which the options turn off; leave http1 on");
        }
        return start(ServerBuilder.of(builder), new WebListener(ServerBuilder.of(builder), options, routes));
    }

    private static Server start(ServerBuilder builder, WebListener server) {
        try {
            server.listen(builder);
        } catch (Throwable noServer) {
            server.stopping = true;
            server.sweep.stop();
            server.desk.close();
            server.crew.close();
            throw noServer;
        }
        return server;
    }

    private void listen(ServerBuilder builder) {
        var place = TcpOptions.address(options.http().address()).backlog(options.http().backlog())
                .maxConnections(options.connections());
        tcp = Stereotypes.with(crew.anonymous().strategy(Strategies.WAITERS)).tcpAcceptorSilent(place,
                this::serve, null);
        desk.open();
        sweep.start();
        // When hooks of the user run, the server has stopped.
        anchor = builder.bringingInWork(this::scopeEnds).strategy(Strategies.WAITERS)
                .newActor((Object message) -> {
                });
    }

    private Actor<Object, Void> anchor() {
        return Objects.requireNonNull(anchor, "it has not been started yet");
    }

    private Server tcp() {
        return Objects.requireNonNull(tcp, "it does not listen yet");
    }

    private void serve(java.net.Socket accepted) throws IOException {
        var peer = (InetSocketAddress) accepted.getRemoteSocketAddress();
        var connection = new WebConnection(this, options, accepted, "web-" + accepted.getLocalPort() + "/"
                + peer.getAddress().getHostAddress() + ":" + peer.getPort() + "#"
                + numbers.incrementAndGet());
        open.add(connection);
        try {
            if (!stopping) {
                connection.serve();
            }
        } finally {
            open.remove(connection);
        }
    }

    // ---- For connections. ----

    TimeSource time() {
        return time;
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

    HttpDesk desk() {
        return desk;
    }

    Engine engine() {
        return engine;
    }

    /** Begins the record of a request; null if nothing listens. */
    @Nullable AccessRecord accessRecord(WebConnection connection) {
        return options.accessLog().isEmpty() ? null
                : new AccessRecord(options.accessLog().get(), time.clock().instant(),
                        time.nanoTime(), connection.peer());
    }

    ActorScope crew() {
        return crew;
    }

    boolean isStopping() {
        return stopping;
    }

    /** Runs a task that may take some time on a fiber of its own. */
    void soon(Runnable task) {
        try {
            crew.anonymous().strategy(Strategies.WAITERS)
                    .newReceivingActor((ReceivingContext<Object> context) -> task.run());
        } catch (IllegalStateException closing) {
            LOG.debug("not done, as {} is being closed", crew.name());
        }
    }

    private void cut(WebConnection connection, String why) {
        soon(() -> connection.cut(why));
    }

    // ---- What users see. ----

    @Override
    public InetSocketAddress address() {
        return tcp().address();
    }

    @Override
    public int connections() {
        return tcp().connections();
    }

    @Override
    public StopReport stop(Duration deadline) {
        if (deadline.isNegative()) {
            throw new IllegalArgumentException("deadline must not be negative: " + deadline);
        }
        called = true;
        windDown();
        if (isInside()) {
            Builder.of(ActorSystem.anonymous()).own().strategy(CreationStrategy.fibers())
                    .newReceivingActor((ReceivingContext<Object> context) -> end(deadline));
            return new StopReport(name(), false, false, java.util.List.of(), desk.counters());
        }
        return end(deadline);
    }

    private boolean isInside() {
        var caller = Thread.currentThread();
        return desk.isInside() || open.stream().anyMatch(connection -> connection.isHandling(caller));
    }

    private String name() {
        return "web-" + port();
    }

    @Override
    public void close() {
        stop(Duration.ZERO);
    }

    @Override
    public void waitForExit() {
        refuseToWaitInside();
        anchor().waitForExit();
    }

    @Override
    public boolean waitForExit(Duration timeout) {
        refuseToWaitInside();
        return anchor().waitForExit(timeout);
    }

    private void refuseToWaitInside() {
        if (isInside()) {
            throw new IllegalStateException("a handler of " + name()
                    + " would wait for its own end, for ever; wait outside the server's handlers");
        }
    }

    @Override
    public String toString() {
        return name() + "[" + address() + ", " + connections() + " connections"
                + (stopping ? ", stopping]" : "]");
    }

    // ---- Stopping. ----

    private void windDown() {
        stopping = true;
        desk.refuse();
        open.forEach(WebConnection::windDown);
    }

    private StopReport end(Duration deadline) {
        var report = finish(tcp().stop(deadline).forced());
        anchor().sendPoisonPill();
        anchor().waitForExit(GRACE);
        return report;
    }

    /** Ends the scope when no connection is left, or none that could be ended. */
    private StopReport finish(boolean forced) {
        sweep.stop();
        desk.close();
        var report = crew.stop(forced ? Duration.ZERO : GRACE); // zero interrupts, and waits for as long
        return new StopReport(name(), report.stopped(), forced || report.forced(), report.stuck(),
                desk.counters());
    }

    /** The first exit hook of the anchor. */
    private void scopeEnds() {
        if (!called) {
            windDown();
            finish(tcp().stop(closeTimeout).forced());
        }
    }
}
