package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.StopReport;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.RelayOptions;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import io.fibry.net.TcpRelay;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A relay: a server for users and a server for agents, in a scope of their own. The server for agents ends last. */
public final class RelayServer implements TcpRelay {
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final ActorScope crew;
    private final RelayDesk desk;
    private final Server agents;
    private final Server users;
    private final Actor<Object, Void> self;
    private final Duration closeTimeout;
    /** Set by stoppers; a second stop is harmless. */
    private volatile boolean stopped;

    private RelayServer(ServerBuilder builder, RelayOptions options) {
        crew = builder.crew("relay");
        desk = new RelayDesk(options, builder.time());
        closeTimeout = builder.closeTimeout();
        try {
            agents = agents(builder, options);
        } catch (Throwable noRelay) {
            crew.close();
            throw noRelay;
        }
        try {
            users = TcpServer.start(ServerBuilder.of(crew.named("users").strategy(builder.waitingStrategy())),
                    options.users(), false, desk.users(), null);
            try {
                self = builder.bringingInWork(this::selfEnded)
                        .strategy(Strategies.WAITERS)
                        .newActor(message -> {
                        });
            } catch (Throwable noRelay) {
                users.close();
                throw noRelay;
            }
        } catch (Throwable noRelay) {
            agents.close();
            crew.close();
            throw noRelay;
        }
    }

    /** Makes the server for agents. Its sockets record when they moved, so that silent ones can be found. */
    private TcpServer agents(ServerBuilder builder, RelayOptions options) {
        Classes.load();
        var place = forAgents(options);
        return TcpServer.start(ServerBuilder.of(crew.named("agents").strategy(Strategies.WAITERS)), place,
                Listening.open(place, builder.time()::nanoTime), false, desk.agents(), null);
    }

    /**
     * Returns the options of the server for agents. The gate limits the connections in their handshake, and of the
     * others there is one for each user. The limit is twice this number, which leaves room for connections that were
     * closed and are about to end, since the acceptor must never wait for a stranger.
     */
    private static TcpOptions forAgents(RelayOptions options) {
        var most = (int) Math.min(Integer.MAX_VALUE / 2, 2L * options.users().maxConnections()
                + 2L * options.handshakes() + 2L * options.handshakesPerNetwork());
        var plain = TcpOptions.address(options.agents()).maxConnections(most)
                .backlog(options.users().backlog());
        return options.tls().map(plain::tls).orElse(plain);
    }

    /**
     * Starts a relay.
     *
     * @param builder the scope of the relay, and the builder of its actors
     * @param options the options of the relay
     * @return the relay
     */
    public static TcpRelay start(ServerBuilder builder, RelayOptions options) {
        return new RelayServer(builder, options);
    }

    @Override
    public InetSocketAddress address() {
        return users.address();
    }

    @Override
    public InetSocketAddress agentAddress() {
        return agents.address();
    }

    @Override
    public boolean hasAgent() {
        return desk.hasAgent();
    }

    @Override
    public int connections() {
        return users.connections();
    }

    @Override
    public StopReport stop(Duration deadline) {
        Durations.nanos(deadline, "deadline");
        var report = shutDown(deadline);
        self.close();
        return report;
    }

    @Override
    public void close() {
        stop(Duration.ZERO);
    }

    private void selfEnded() {
        if (!stopped) {
            shutDown(closeTimeout);
        }
    }

    private StopReport shutDown(Duration deadline) {
        var report = users.stop(deadline);
        agents.close();
        crew.stop(GRACE);
        stopped = true;
        return report;
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
        return "relay[users on " + address() + ", agents on " + agentAddress() + ", " + connections()
                + " connections" + (hasAgent() ? "]" : ", no agent]");
    }
}
