package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.ReceivingContext;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import io.fibry.function.StateHandler;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.Connection;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import io.fibry.time.TimeSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A TCP server. It consists of its anchor in the user's scope, which stops the server with the scope, a fiber that
 * accepts connections, and a scope with the actors of the connections.
 *
 * <p>The acceptor first lists a connection and then reads {@code stopping}. A stopper first sets {@code stopping}
 * and then reads the list. So no connection is missed.
 */
public final class TcpServer implements Server {
    /** The least time for workers to end after their connections were closed, and again after an interrupt. */
    private static final Duration GRACE = Duration.ofSeconds(1);
    /**
     * The limit of places, which is more than there can be sockets. A stop releases one place more, and the
     * semaphore must not overflow.
     */
    private static final int MOST_PLACES = Integer.MAX_VALUE / 2;

    private final TcpOptions options;
    private final ServerSocket listening;
    private final InetSocketAddress address;
    private final TimeSource time;
    private final Duration closeTimeout;
    private final ActorScope crew;
    private final Service service;
    private final boolean silent;
    private final Semaphore places;
    private final Set<TcpConnection> open = ConcurrentHashMap.newKeySet();
    /** Completed when nothing is open any more. If several threads wait for it, the shortest of their deadlines counts. */
    private final CompletableFuture<Boolean> drained = new CompletableFuture<>();
    /** Closes connections for timers, which must not wait. */
    private final Actor<Runnable, Void> cutter;
    private final Actor<Object, Void> self;
    /** Set by stoppers, before they read the list of connections; a connection is listed before this is read. */
    private volatile boolean stopping;
    /** Set by stoppers; a second stop is harmless. */
    private volatile boolean stopped;

    private TcpServer(ServerBuilder builder, TcpOptions options, ServerSocket listening, String kind,
            boolean silent, Service service) {
        this.options = options;
        this.service = service;
        this.listening = listening;
        this.silent = silent;
        address = (InetSocketAddress) listening.getLocalSocketAddress();
        time = builder.time();
        closeTimeout = builder.closeTimeout();
        crew = builder.crew(kind + "-" + address.getPort());
        places = new Semaphore(Math.min(options.maxConnections(), MOST_PLACES));
        try {
            cutter = crew.named("cutter").strategy(Strategies.WAITERS)
                    .mailbox(MailboxPolicy.unbounded()).newActor((Runnable cut) -> cut.run());
            // The anchor is a fiber, which costs nothing while it waits. When the user's hooks run the server has
            // stopped.
            self = builder.bringingInWork(this::selfEnded).strategy(Strategies.WAITERS)
                    .newActor(message -> {
                    });
        } catch (Throwable notMade) {
            crew.close();
            throw notMade;
        }
    }

    /** Starts a server whose connections are read and written by a worker. */
    public static Server accept(ActorBuilder builder, TcpOptions options, boolean silent,
            Handler<Socket> worker, @Nullable IntConsumer onListening) {
        Objects.requireNonNull(worker, "worker");
        return start(ServerBuilder.of(builder), options, "tcp", silent,
                (crew, connection) -> crew.named(connection.name())
                        .onFailure(FailurePolicy.stop()).onExit(connection::ended)
                        .newReceivingActor(context -> connection.work(worker)),
                onListening);
    }

    /** Starts a server whose connections are read by a worker, and take messages. */
    public static <M> Server converse(ActorBuilder builder, TcpOptions options, boolean silent,
            Handler<Connection<M>> worker, StateHandler<Connection<M>, M> handler,
            @Nullable IntConsumer onListening) {
        Objects.requireNonNull(worker, "worker");
        Objects.requireNonNull(handler, "handler");
        var from = ServerBuilder.of(builder);
        return start(from, options, "tcp", silent,
                TcpTalk.service(from.waitingStrategy(), worker, handler), onListening);
    }

    /** Starts a server that forwards its connections. */
    public static Server forward(ActorBuilder builder, TcpOptions options, InetSocketAddress target,
            @Nullable IntConsumer onListening) {
        Objects.requireNonNull(target, "target");
        var from = ServerBuilder.of(builder);
        return start(from, options, "tcp", false, TcpForward.service(from.waitingStrategy(), target),
                onListening);
    }

    /** Starts a server: opens its socket, then accepts connections. */
    static TcpServer start(ServerBuilder builder, TcpOptions options, String kind, boolean silent,
            Service service, @Nullable IntConsumer onListening) {
        var listening = Listening.open(Objects.requireNonNull(options, "options"),
                options.idleTimeout().isPresent() ? builder.time()::nanoTime : null);
        return start(builder, options, listening, kind, silent, service, onListening);
    }

    /** Starts a server on an open socket, which it closes. */
    static TcpServer start(ServerBuilder builder, TcpOptions options, ServerSocket listening, String kind,
            boolean silent, Service service, @Nullable IntConsumer onListening) {
        TcpServer server;
        try {
            server = new TcpServer(builder, options, listening, kind, silent, service);
        } catch (Throwable noServer) {
            TcpConnection.close(listening, "a server that could not be made");
            throw noServer;
        }
        try {
            service.begin(server.crew);
            if (onListening != null) {
                onListening.accept(server.port());
            }
            server.crew.named("acceptor").strategy(Strategies.WAITERS)
                    .mailbox(MailboxPolicy.unbounded()).onFailure(FailurePolicy.stop())
                    .newReceivingActor(server::accept);
        } catch (Throwable noServer) {
            server.close();
            throw noServer;
        }
        return server;
    }

    // ---- Accepting. ----

    private record Failure(String step, Throwable cause) {
    }

    /**
     * Accepts connections. The acceptor first takes a place and then accepts a connection. So a connection for which there
     * is no place waits in the operating system and costs nothing here. If a step fails the acceptor gives the place back.
     * A connection that has its actor gives its place back at its end.
     */
    private void accept(ReceivingContext<Object> context) throws InterruptedException {
        var pause = new Pause(name(), time);
        for (var number = 1L; !stopping; number++) {
            places.acquire();
            var failure = acceptOne(number);
            if (failure == null) {
                pause.reset();
            } else if (!stopping) {
                pause.after(failure.step, failure.cause, context);
            }
        }
    }

    private @Nullable Failure acceptOne(long number) {
        Socket socket;
        try {
            socket = listening.accept();
        } catch (IOException | RuntimeException | Error e) {
            places.release();
            return new Failure("accept a connection", e);
        }
        TcpConnection connection;
        try {
            connection = new TcpConnection(this, socket, number);
            open.add(connection);
        } catch (RuntimeException | Error e) {
            TcpConnection.close(socket, name());
            places.release();
            return new Failure("take in a connection", e);
        }
        try {
            if (stopping) {
                connection.ended();
            } else {
                service.start(crew, connection);
            }
            return null;
        } catch (RuntimeException | Error e) {
            connection.ended();
            return new Failure("make an actor for " + connection.name(), e);
        }
    }

    // ---- For connections. ----

    String name() {
        return crew.name();
    }

    TcpOptions options() {
        return options;
    }

    TimeSource time() {
        return time;
    }

    ActorScope crew() {
        return crew;
    }

    boolean isSilent() {
        return silent;
    }

    /** Removes a connection whose actors have ended. */
    void ended(TcpConnection connection) {
        open.remove(connection);
        places.release();
        if (stopping && open.isEmpty()) {
            drained.complete(true);
        }
    }

    /** Closes a connection soon, on the cutter. */
    void soon(Runnable close) {
        cutter.sendMessage(close);
    }

    /**
     * Prepares an accepted socket as the options require. Called by the connection's own actor, since a handshake
     * may take time.
     */
    Socket prepare(Socket accepted) throws IOException {
        accepted.setTcpNoDelay(options.noDelay());
        var tls = options.tls();
        return tls.isEmpty() ? accepted : new ServedTls(TlsHandshake.accept(tls.get(), accepted, socket -> {
        }));
    }

    // ---- What users see. ----

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public int connections() {
        return open.size();
    }

    @Override
    public StopReport stop(Duration deadline) {
        var nanos = Durations.nanos(deadline, "deadline");
        if (isCalledByConnection()) {
            stopAccepting();
            stopAside(nanos);
            return new StopReport(name(), false, false, names(), service.counters(crew));
        }
        var report = shutDown(nanos);
        self.askExit();
        self.close(); // waits for the exit hooks of the user's builder, unless it is called inside them
        return report;
    }

    /** Stops the server on another fiber, since this may take long. */
    private void stopAside(long nanos) {
        try {
            crew.anonymous().strategy(Strategies.WAITERS).onFailure(FailurePolicy.stop())
                    .newReceivingActor(context -> {
                        shutDown(nanos);
                        self.askExit();
                    });
        } catch (IllegalStateException closed) {
            // another thread has stopped the server already
        }
    }

    private List<String> names() {
        return open.stream().filter(TcpConnection::isCalling).map(TcpConnection::name).toList();
    }

    @Override
    public void close() {
        stop(Duration.ZERO);
    }

    @Override
    public void waitForExit() {
        refuseToWaitInside();
        self.waitForExit();
    }

    @Override
    public boolean waitForExit(Duration timeout) {
        refuseToWaitInside();
        return self.waitForExit(timeout);
    }

    private void refuseToWaitInside() {
        if (isCalledByConnection()) {
            throw new IllegalStateException("a connection of " + name()
                    + " would wait for its own end, for ever; wait outside the server's workers");
        }
    }

    @Override
    public String toString() {
        return name() + "[" + address + ", " + connections() + " connections"
                + (stopping ? ", stopping]" : "]");
    }

    // ---- Stopping. ----

    private boolean isCalledByConnection() {
        return open.stream().anyMatch(TcpConnection::isCalling) || service.isInside();
    }

    /** Stops the server at the end of the anchor, unless the server has ended the anchor itself. */
    private void selfEnded() {
        if (!stopped) {
            shutDown(Durations.nanos(closeTimeout, "closeTimeout"));
        }
    }

    /** Shuts the server down. Several threads may do this at the same time; the shortest deadline counts. */
    private StopReport shutDown(long nanos) {
        var begin = time.nanoTime();
        stopAccepting();
        var forced = !open.isEmpty() && !isDrained(nanos);
        if (forced) {
            open.forEach(connection -> connection.closeWanted("the server was stopped by force"));
        }
        service.end();
        var left = Duration.ofNanos(nanos - (time.nanoTime() - begin));
        var rest = crew.stop(
                forced && service.interrupts() ? Duration.ZERO : left.compareTo(GRACE) > 0 ? left : GRACE);
        stopped = true;
        drained.complete(true);
        return new StopReport(name(), rest.stopped(), forced || rest.forced(), rest.stuck(),
                service.counters(crew));
    }

    /** Waits until nothing is open any more. Returns false if the time is over before, or the caller is interrupted. */
    private boolean isDrained(long nanos) {
        if (nanos == 0) {
            drained.complete(false);
            return false;
        }
        var alarm = time.schedule(nanos, () -> drained.complete(false));
        try {
            return drained.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the interrupt asks for the end of what is open, too
            return false;
        } catch (ExecutionException e) {
            throw new AssertionError(e); // the future is completed with values only
        } finally {
            alarm.cancel();
        }
    }

    private void stopAccepting() {
        stopping = true;
        TcpConnection.close(listening, name());
        places.release(); // the acceptor may wait for a place
        service.windDown();
    }
}
