package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import io.fibry.function.StateHandler;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.Server;
import io.fibry.net.UdpOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A UDP server: an actor that handles datagrams, and a fiber that receives them. It stops as any actor does:
 * datagrams that have come are handled before the socket is closed.
 */
public final class Udp implements Server {
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final DatagramSocket socket;
    private final InetSocketAddress address;
    private final UdpOptions options;
    private final ActorScope crew;
    private final Actor<DatagramPacket, Void> self;
    private final Pause pause;
    /** Set by stoppers; it only becomes true. */
    private volatile boolean stopping;

    private Udp(ServerBuilder builder, UdpOptions options, DatagramSocket socket,
            StateHandler<DatagramSocket, DatagramPacket> handler) {
        this.socket = socket;
        this.options = options;
        address = (InetSocketAddress) socket.getLocalSocketAddress();
        crew = builder.crew("udp-" + address.getPort());
        pause = new Pause(crew.name(), builder.time());
        try {
            self = builder.bringingInWork(this::ended)
                    .mailbox(MailboxPolicy.bounded(options.maxWaiting(), OverflowPolicy.dropNewest()))
                    .newActor(Handler.<DatagramPacket>shownAs(handler,
                            packet -> handler.handle(socket, packet)));
        } catch (Throwable notMade) {
            crew.close();
            throw notMade;
        }
    }

    /** Starts a server. */
    public static Server receive(ActorBuilder builder, UdpOptions options,
            StateHandler<DatagramSocket, DatagramPacket> handler, @Nullable IntConsumer onListening) {
        Objects.requireNonNull(handler, "handler");
        return start(ServerBuilder.of(builder), options, open(Objects.requireNonNull(options, "options")),
                handler, onListening);
    }

    /** Starts a server on an open socket. */
    static Server start(ServerBuilder builder, UdpOptions options, DatagramSocket socket,
            StateHandler<DatagramSocket, DatagramPacket> handler, @Nullable IntConsumer onListening) {
        try {
            return new Udp(builder, options, socket, handler).started(onListening);
        } catch (Throwable noServer) {
            socket.close();
            throw noServer;
        }
    }

    private Udp started(@Nullable IntConsumer onListening) {
        try {
            if (onListening != null) {
                onListening.accept(port());
            }
            crew.named("receiver").strategy(Strategies.WAITERS).mailbox(MailboxPolicy.unbounded())
                    .onFailure(FailurePolicy.stop())
                    .newReceivingActor(this::run);
            return this;
        } catch (Throwable noServer) {
            close();
            throw noServer;
        }
    }

    private static DatagramSocket open(UdpOptions options) {
        try {
            var socket = new DatagramSocket(null);
            try {
                socket.setReuseAddress(!options.groups().isEmpty()); // several sockets may listen to one group
                socket.bind(options.address());
                for (var group : options.groups()) {
                    socket.joinGroup(new InetSocketAddress(group, 0),
                            options.networkInterface().orElse(null));
                }
                if (options.networkInterface().isPresent()) {
                    socket.setOption(StandardSocketOptions.IP_MULTICAST_IF, options.networkInterface().get());
                }
                return socket;
            } catch (IOException | RuntimeException e) {
                socket.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot receive datagrams on " + options.address()
                    + (options.groups().isEmpty() ? "" : " for " + options.groups()) + ": " + e.getMessage(),
                    e);
        }
    }

    private void run(ReceivingContext<Object> context) throws InterruptedException {
        var packet = new DatagramPacket(new byte[options.maxBytes()], options.maxBytes());
        while (!stopping && !socket.isClosed()) {
            try {
                packet.setLength(options.maxBytes());
                socket.receive(packet);
                var content = Arrays.copyOf(packet.getData(), packet.getLength());
                if (!stopping) {
                    self.sendMessage(new DatagramPacket(content, content.length, packet.getSocketAddress()));
                }
                pause.reset();
            } catch (IOException | RuntimeException | Error e) {
                if (!stopping && !socket.isClosed()) {
                    pause.after("receive a datagram", e, context);
                }
            }
        }
        self.sendPoisonPill(); // the handler has closed the socket, unless the server is being stopped
    }

    private void ended() {
        stopping = true;
        socket.close();
        crew.stop(GRACE);
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public int connections() {
        return 0;
    }

    @Override
    public StopReport stop(Duration deadline) {
        Durations.nanos(deadline, "deadline");
        stopping = true;
        return self.stop(deadline);
    }

    @Override
    public void close() {
        var report = stop(Duration.ZERO);
        if (report.forced()) {
            self.waitForExit(GRACE); // the stop has interrupted its handler
        }
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
        return crew.name() + "[" + address + (stopping ? ", stopping]" : "]");
    }
}
