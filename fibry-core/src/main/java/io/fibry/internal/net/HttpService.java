package io.fibry.internal.net;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.FailurePolicy;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.actor.Current;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.log.Logs;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.Pieces;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * What a server does that serves HTTP: it answers requests, counts them, and cuts off clients that do not read or send.
 * A sweep looks for these clients at each tick. How long something takes is measured in ticks, since a read of the clock
 * for each step of a request would take longer than the step.
 *
 * <p>An exception that leaves {@link #serve} makes the connection end. This happens if an answer has begun and cannot be
 * finished.
 */
public final class HttpService implements Service {
    private static final Logger LOG = Logs.of("io.fibry.net.http");
    private static final int BASE = 36;
    private static final int TICKS = 4;
    private static final Duration SHORTEST_TICK = Duration.ofMillis(10);
    private static final Duration LONGEST_TICK = Duration.ofMillis(500);
    private static final int CONNECTIONS = 20_000;
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);
    /** The servers of the process. */
    private static final Set<HttpService> RUNNING = ConcurrentHashMap.newKeySet();

    private final HttpOptions options;
    private final Limits limits;
    private final Maker maker;
    private final TimeSource time;
    private final Pieces pieces;
    private final boolean runsInPlace;
    private final String idPrefix;
    private final long tickNanos;
    private final int writeTicks;
    private final int readTicks;
    private final int contentTicks;
    private final int idleTicks;
    private final ReplyHandler<ServedCall, HttpAnswer> answers;
    private final AtomicLong failures = new AtomicLong();
    private final LongAdder handled = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder refused = new LongAdder();
    /** The number of requests that are handled; counted only if there is a limit, since all processors would contend on it. */
    private final AtomicInteger active = new AtomicInteger();
    /** A connection is listed before its fiber reads {@link #stopping}; a stopper reads this after it has set that. */
    private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();
    /** Set once, before the first connection is accepted. */
    private @Nullable ActorScope crew;
    /** Set once, before the first connection is accepted. */
    private @Nullable HttpPlace place;
    /** Written by the thread that sets the next sweep, which then reads {@link #ended}; so one thread cancels it. */
    private volatile @Nullable Cancellable nextSweep;
    /** Set by the thread that ends the server, before it reads {@link #nextSweep}. */
    private volatile boolean ended;
    /** Written by the sweep alone. */
    private volatile int tick = 1;
    /** The text of the time, about. Written by the sweep alone. */
    private volatile String date;
    /** Written by the sweep alone. */
    private volatile boolean full;
    /** Set by stoppers, before they read who is busy; a fiber marks itself as busy and then reads this. */
    private final AtomicBoolean stopping = new AtomicBoolean();

    /**
     * What a server limits beside the requests.
     *
     * @param connections how many may be open; further ones wait in the system. They are fewer if the process may not open
     *     so many files
     * @param idleTimeout how long a connection may be open without a request
     * @param shortest the shortest time within which something else must be noticed
     */
    public record Limits(int connections, Duration idleTimeout, Duration shortest) {
        /** Leaves some files to the process and to a few other servers, but also the last of many gets a sixteenth. */
        public Limits {
            var kept =
                    RUNNING.stream().mapToLong(other -> other.limits.connections - other.open.size()).sum();
            var left = OpenFiles.left();
            connections = (int) Math.min(connections, Math.max(left / 16 + 8, (left - kept) / 4 * 3));
        }
    }

    /** Makes the connections of a server. */
    @FunctionalInterface
    public interface Maker {
        /** Makes a connection. */
        HttpConnection make(HttpService service, TcpConnection tcp, Socket accepted);
    }

    private HttpService(ServerBuilder builder, HttpOptions options, Limits limits,
            ReplyHandler<ServedCall, HttpAnswer> answers,
            Maker maker) {
        this.options = options;
        this.limits = limits;
        this.answers = answers;
        this.maker = maker;
        time = builder.time();
        pieces = builder.pieces();
        runsInPlace = builder.runsInPlaceOnFibers();
        date = HttpText.DATES.format(time.clock().instant());
        idPrefix = Long.toString(time.nanoTime() & Integer.MAX_VALUE, BASE) + "-";
        var shortest = Stream.of(limits.shortest(), limits.idleTimeout(), options.readLimit(),
                options.writeLimit(), options.contentLimit()).min(Duration::compareTo).orElseThrow();
        tickNanos = Math.clamp(Durations.boundedNanos(shortest) / TICKS, SHORTEST_TICK.toNanos(),
                LONGEST_TICK.toNanos());
        writeTicks = ticks(options.writeLimit());
        readTicks = ticks(options.readLimit());
        contentTicks = ticks(options.contentLimit());
        idleTicks = ticks(limits.idleTimeout());
    }

    private int ticks(Duration limit) {
        return (int) Math.min(Integer.MAX_VALUE / 2, Math.ceilDiv(Durations.boundedNanos(limit), tickNanos));
    }

    /** Starts a server whose answers are texts. */
    public static Server start(ActorBuilder builder, HttpOptions options,
            ReplyHandler<HttpCall, String> handler) {
        Objects.requireNonNull(handler, "handler");
        return startPlain(builder, options, call -> HttpAnswer
                .text(Objects.requireNonNull(handler.handle(call), "the handler returned no text")));
    }

    /** Starts a server with routes. */
    public static Server start(ActorBuilder builder, HttpOptions options, HttpRoutes routes) {
        return startPlain(builder, options, new HttpRouteTree(routes)::answer);
    }

    private static Server startPlain(ActorBuilder builder, HttpOptions options,
            ReplyHandler<ServedCall, HttpAnswer> answers) {
        Objects.requireNonNull(options, "options");
        var idle = options.readLimit().compareTo(IDLE_TIMEOUT) > 0 ? options.readLimit() : IDLE_TIMEOUT;
        return start("http", builder, options, new Limits(CONNECTIONS, idle, idle), answers,
                HttpConnection::new);
    }

    /** Starts a server whose connections do more than HTTP/1. */
    public static Server start(String kind, ActorBuilder builder, HttpOptions options, Limits limits,
            HttpRoutes routes, Maker maker) {
        return start(kind, builder, options, limits, new HttpRouteTree(routes)::answer, maker);
    }

    private static Server start(String kind, ActorBuilder builder, HttpOptions options, Limits limits,
            ReplyHandler<ServedCall, HttpAnswer> answers, Maker maker) {
        var from = ServerBuilder.of(builder);
        var listening = TcpOptions.address(options.address()).backlog(options.backlog())
                .maxConnections(limits.connections());
        return TcpServer.start(from, listening, kind, true,
                new HttpService(from, options, limits, answers, maker), null);
    }

    // ---- Its connections. ----

    @Override
    public void begin(ActorScope theCrew) {
        crew = theCrew;
        place = new HttpPlace(runsInPlace ? null : theCrew.anonymous());
        RUNNING.add(this);
        setSweep();
    }

    @Override
    public void start(ActorScope theCrew, TcpConnection connection) {
        theCrew.named(connection.name()).strategy(Strategies.WAITERS).onFailure(FailurePolicy.stop())
                .onExit(connection::ended)
                .newReceivingActor(context -> connection.work(socket -> serve(connection, socket)));
    }

    private void serve(TcpConnection tcp, Socket accepted) throws IOException {
        var connection = maker.make(this, tcp, accepted);
        open.add(connection);
        try {
            if (!isStopping()) {
                connection.serve();
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            open.remove(connection);
        }
    }

    /** Winds down once: a connection that becomes idle later gives its client a moment to read the last answer. */
    @Override
    public void windDown() {
        if (!stopping.getAndSet(true)) {
            open.forEach(HttpConnection::windDown);
        }
    }

    @Override
    public void end() {
        ended = true;
        RUNNING.remove(this);
        var pending = nextSweep;
        if (pending != null) {
            pending.cancel();
        }
    }

    @Override
    public boolean isInside() {
        var caller = Thread.currentThread();
        return open.stream().anyMatch(connection -> connection.isHandling(caller));
    }

    @Override
    public boolean interrupts() {
        return true;
    }

    @Override
    public Counters counters(ActorScope theCrew) {
        return new Counters(handled.sum(), failed.sum(), 0, 0, refused.sum(), 0);
    }

    /** Returns the scope of the server's actors. */
    public ActorScope crew() {
        return Objects.requireNonNull(crew, "the server has not begun");
    }

    /** Returns the options. */
    public HttpOptions options() {
        return options;
    }

    /** Returns the time. */
    public TimeSource time() {
        return time;
    }

    boolean isStopping() {
        return stopping.get();
    }

    /** Returns whether connections are closed after their answers: in a stop, and if there are as many as may be. */
    boolean closesConnections() {
        return isStopping() || full;
    }

    // ---- Clients that do not read, or do not send. ----

    private void setSweep() {
        nextSweep = time.schedule(tickNanos, this::sweep);
        if (ended) {
            end();
        }
    }

    private void sweep() {
        try {
            lookAtAll();
        } finally { // what fails for want of memory may succeed the next time
            if (!ended) {
                setSweep();
            }
        }
    }

    private void lookAtAll() {
        var now = tick + 1; // only the sweep writes it
        tick = now;
        date = HttpText.DATES.format(time.clock().instant());
        full = open.size() >= limits.connections();
        for (var connection : open) {
            var why = connection.isCut() ? null : connection.late(now);
            if (why != null) {
                connection.cutSoon(why);
            }
        }
    }

    /** Returns the current tick. */
    int tick() {
        return tick;
    }

    /** Returns the value of a header {@code Date}. */
    String date() {
        return date;
    }

    /** Returns whether more ticks have passed since one than may. */
    static boolean isLate(int since, int now, int ticks) {
        return since != 0 && now - since > ticks;
    }

    boolean isLateWriter(int since, int now) {
        return isLate(since, now, writeTicks);
    }

    /** Returns whether more than readLimit has passed since a tick, which is 0 if nothing is waited for. */
    public boolean isLateReader(int since, int now) {
        return isLate(since, now, readTicks);
    }

    /** Returns whether a client has waited for too long; if the server is full, others may take its place sooner. */
    boolean isLateClient(int since, int now) {
        return isLate(since, now, full ? Math.min(idleTicks, TICKS) : idleTicks);
    }

    /** Returns whether content that began to come at a tick has taken too long in all. */
    boolean isOverlong(int since) {
        return isLate(since, tick, contentTicks);
    }

    // ---- Requests. ----

    /** Answers a request of a fiber that answers others after it, to which nothing of this one is left. */
    void piece(ServedCall call) throws IOException {
        pieces.run(() -> serve(call));
    }

    /** Refuses a request that no handler may see. */
    public void refuse(ServedCall call, HttpProblem why) throws IOException {
        refused.increment();
        new HttpReply(call, place()).refuse(why);
    }

    private HttpPlace place() {
        return Objects.requireNonNull(place, "the server has not begun");
    }

    /** Answers a request. One that is refused takes no place: what is left of its content may come slowly. */
    public void serve(ServedCall call) throws IOException {
        try {
            HttpChecks.check(call, options);
        } catch (HttpProblem refusal) {
            refuse(call, refusal);
            return;
        }
        var isCounted = options.requests() != Integer.MAX_VALUE;
        var hasPlace = !isCounted || active.incrementAndGet() <= options.requests();
        var stops = isStopping();
        try {
            if (hasPlace && !stops) {
                handle(call);
            }
        } finally {
            if (isCounted) {
                active.decrementAndGet();
            }
        }
        if (!hasPlace || stops) {
            refuse(call, new HttpProblem(503, stops ? "the server is being stopped" : "too many requests"));
        }
    }

    private void handle(ServedCall call) throws IOException {
        var count = failed;
        var reply = new HttpReply(call, place());
        try {
            reply.answer(Objects.requireNonNull(place().call(call, () -> answers.handle(call)),
                    "the handler returned no answer"));
            count = handled;
        } catch (Throwable failure) {
            if (answersFailure(call, reply, failure)) {
                count = handled;
            }
        } finally {
            count.increment();
        }
    }

    /** Answers a failure. Returns whether it was meant as an answer. */
    private boolean answersFailure(ServedCall call, HttpReply reply, Throwable failure)
            throws IOException {
        var flaw = call.flaw();
        var isCut = call.connection().isCut();
        if ((failure instanceof InterruptedException && (isCut || isStopping())) || (flaw != null && isCut)
                || (call.isOutputBroken() && comesFromIo(failure))
                || (call.hasBegun() && (flaw != null || failure instanceof IOException))) {
            LOG.debug("actor '{}': {} was broken off", Current.actor(), call, failure);
            throw new IOException("broken off", failure);
        }
        if (call.hasBegun()) {
            throw new IOException("broken off, see " + report(call, failure), failure);
        }
        if (flaw != null) {
            LOG.debug("{}: its content broke off", call, failure);
            reply.refuse(flaw); // if the client is still there
        } else if (failure instanceof HttpProblem problem) {
            LOG.debug("actor '{}': {} is answered with {}", Current.actor(), call, problem.status(),
                    problem);
            reply.problem(problem);
            return true;
        } else {
            reply.problem(new HttpProblem(500, "internal error " + report(call, failure)));
        }
        return false;
    }

    /** Returns whether a failure of input or output has caused a failure. Programs may wrap it in exceptions of their own. */
    private static boolean comesFromIo(Throwable failure) {
        return failure instanceof IOException
                || (failure.getCause() != null && comesFromIo(failure.getCause()));
    }

    /** Logs a failure. Returns its id. */
    private String report(ServedCall call, Throwable failure) {
        var id = idPrefix + failures.incrementAndGet();
        LOG.error("actor '{}': request {} failed: {} {}", Current.actor(), id, call.method(),
                call.path(), failure); // without the query, which may be secret
        return id;
    }
}
