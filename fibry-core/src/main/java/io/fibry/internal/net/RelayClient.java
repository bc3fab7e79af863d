package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.ReceivingContext;
import io.fibry.StopReport;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.log.Logs;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.RelayAgentOptions;
import io.fibry.net.TcpRelayAgent;
import io.fibry.time.TimeSource;
import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * An agent of a relay. It consists of its anchor in the user's scope, a fiber that keeps the connection to the
 * relay, and an actor for each direction of each user.
 *
 * <p>A thread that opens a connection first lists it and then reads whether the agent is closing. A thread that
 * closes the agent first sets this and then reads the list. So no connection is missed.
 */
public final class RelayClient implements TcpRelayAgent, RelaySession.Host {
    private static final Logger LOG = Logs.of("io.fibry.net");
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final RelayAgentOptions options;
    private final TimeSource time;
    private final Duration closeTimeout;
    private final CreationStrategy strategy;
    private final ActorScope crew;
    private final SecureRandom random = new SecureRandom();
    private final RelayHandshake handshake;
    private final Set<RelayLink> links = ConcurrentHashMap.newKeySet();
    private final AtomicInteger places;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Drain drain = new Drain();
    /** Closes connections for timers, which must not wait. */
    private final Actor<Closeable, Void> cutter;
    private final Actor<Object, Void> self;
    /** How long the last connection to the relay lasted. Used by the connector only. */
    private long lasted;
    /** Written by the connector, which then reads {@link #stopping}; a stopper writes that and then reads this. */
    private volatile @Nullable RelayLine line;
    /** Written by the connector, and only shown. */
    private volatile boolean connected;
    /** Set by stoppers, before they read the list of links; a link is listed before this is read. */
    private volatile boolean stopping;
    /** Set by stoppers; it only becomes true. */
    private volatile boolean forced;
    /** Set by stoppers; it only becomes true. */
    private volatile boolean stopped;

    private RelayClient(ServerBuilder builder, RelayAgentOptions options) {
        this.options = options;
        time = builder.time();
        closeTimeout = builder.closeTimeout();
        strategy = builder.waitingStrategy();
        crew = builder.crew("relay-agent");
        handshake = new RelayHandshake(options.secret(), random);
        places = new AtomicInteger(options.maxConnections());
        try {
            cutter = crew.named("cutter").strategy(Strategies.WAITERS).mailbox(MailboxPolicy.unbounded())
                    .newActor((Closeable what) -> TcpConnection.close(what, name()));
            self = builder.bringingInWork(this::selfEnded).strategy(Strategies.WAITERS)
                    .newActor(message -> {
                    });
        } catch (Throwable notMade) {
            crew.close();
            throw notMade;
        }
    }

    /**
     * Starts an agent.
     *
     * @param builder the scope of the agent, and the builder of its actors
     * @param options the options of the agent
     * @return the agent
     */
    public static TcpRelayAgent start(ServerBuilder builder, RelayAgentOptions options) {
        Classes.load();
        var agent = new RelayClient(builder, options);
        try {
            agent.crew.named("connector").strategy(Strategies.WAITERS).onFailure(FailurePolicy.stop())
                    .mailbox(MailboxPolicy.unbounded()).newReceivingActor(agent::run);
        } catch (Throwable noAgent) {
            agent.close();
            throw noAgent;
        }
        return agent;
    }

    private String name() {
        return crew.name();
    }

    // ---- The relay. ----

    private void run(ReceivingContext<Object> context) throws InterruptedException {
        var attempt = 0;
        var told = false;
        while (!stopping) {
            lasted = 0;
            String why;
            try {
                converse();
                why = "the relay has closed the connection";
            } catch (IOException | RuntimeException | Error e) {
                why = e.getMessage() == null ? e.toString() : e.getMessage();
            }
            if (lasted >= Durations.nanos(options.longestPause(), "longestPause")) {
                attempt = 0;
                told = false;
            }
            if (!stopping) {
                tell(told, why);
                told = true;
                attempt++;
                var pause = Pauses.nanos(options.firstPause(), options.longestPause(), attempt, random);
                context.receive(message -> false, Duration.ofNanos(pause));
            }
        }
    }

    private void tell(boolean told, String why) {
        if (told) {
            LOG.debug("{}: {}", name(), why);
        } else {
            LOG.warn("{} is not connected to {}: {}; it tries again, after pauses of up to {}", name(),
                    RelayLine.name(options.relay()), why, options.longestPause());
        }
    }

    /** One connection to the relay, from its beginning to its end. */
    private void converse() throws IOException {
        try (var mine = new RelayLine(options)) {
            line = mine;
            if (stopping) {
                return;
            }
            inTime(mine, () -> mine.connect(handshake, RelayHandshake.CONTROL, RelayToken.NONE));
            var began = time.nanoTime();
            try (var session = new RelaySession(name(), mine,
                    crew.anonymous().strategy(Strategies.WAITERS))) {
                connected = true;
                LOG.debug("{} is connected to {}", name(), RelayLine.name(options.relay()));
                session.read(time, this);
            } finally {
                connected = false;
                lasted = time.nanoTime() - began;
            }
        }
    }

    private interface Connecting {
        void connect() throws IOException;
    }

    /** Connects, within a time limit for all steps together. */
    private void inTime(Closeable what, Connecting code) throws IOException {
        var late = new AtomicBoolean();
        var limit = time.schedule(Durations.nanos(options.connectTimeout(), "connectTimeout"), () -> {
            late.set(true);
            closeSoon(what);
        });
        try {
            code.connect();
        } catch (IOException e) {
            throw late.get() ? new IOException("not connected within " + options.connectTimeout(), e) : e;
        } finally {
            limit.cancel();
        }
    }

    @Override
    public void closeSoon(Closeable what) {
        cutter.sendMessage(what);
    }

    // ---- Users. ----

    @Override
    public void open(RelayToken token, RelaySession session) {
        if (stopping || places.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
            session.refuse(token);
            return;
        }
        var user = name() + "/user#" + numbers.incrementAndGet();
        var link = new RelayLink(user, options);
        links.add(link);
        session.joins(link);
        var ended = new Once(() -> {
            session.removeLink(link);
            ended(link);
        });
        try {
            crew.named(user).strategy(strategy).onFailure(FailurePolicy.stop()).onExit(ended::run)
                    .newReceivingActor(context -> serve(user, link, token, session));
        } catch (RuntimeException | Error e) {
            ended.run();
            session.refuse(token);
            LOG.warn("{} cannot make an actor for {}", name(), user, e);
        }
    }

    private void serve(String user, RelayLink link, RelayToken token, RelaySession session)
            throws IOException {
        try (link) {
            if (forced) {
                return;
            }
            inTime(link, () -> link.connect(handshake, token));
            link.carry(crew.named(user + " back").strategy(strategy).onFailure(FailurePolicy.stop()));
        } catch (IOException | RuntimeException e) {
            if (!forced) {
                session.refuse(token);
                throw e;
            }
        }
    }

    private void ended(RelayLink link) {
        link.close();
        links.remove(link);
        places.incrementAndGet();
        if (stopping && links.isEmpty()) {
            drain.end();
        }
    }

    // ---- What users see. ----

    @Override
    public boolean isConnected() {
        return connected;
    }

    @Override
    public int connections() {
        return links.size();
    }

    @Override
    public StopReport stop(Duration deadline) {
        var report = shutDown(Durations.nanos(deadline, "deadline"));
        self.close();
        return report;
    }

    @Override
    public void close() {
        stop(Duration.ZERO);
    }

    private void selfEnded() {
        if (!stopped) {
            shutDown(Durations.nanos(closeTimeout, "closeTimeout"));
        }
    }

    private StopReport shutDown(long nanos) {
        stopping = true;
        var open = line;
        if (open != null) {
            TcpConnection.close(open, name());
        }
        var inTime = links.isEmpty() || drain.await(time, nanos);
        if (!inTime) {
            forced = true;
            links.forEach(RelayLink::close);
        }
        var rest = crew.stop(GRACE);
        stopped = true;
        drain.end();
        return new StopReport(name(), rest.stopped(), !inTime || rest.forced(), rest.stuck(),
                rest.counters());
    }

    @Override
    public void waitForExit() {
        self.waitForExit();
    }

    @Override
    public boolean waitForExit(Duration timeout) {
        return self.waitForExit(timeout);
    }

    @Override
    public String toString() {
        return name() + "[" + RelayLine.name(options.relay()) + " to " + RelayLine.name(options.target())
                + ", " + connections()
                + " connections"
                + (connected ? "]" : ", not connected]");
    }
}
