package io.fibry.examples;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.Stereotypes;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import jdk.net.ExtendedSocketOptions;

/**
 * Offers a service to the users of a {@link Relay}, until Ctrl-C. The program runs in the private network, and connects
 * to the relay.
 *
 * <p>Look at {@code serveUser}: an actor for each line, which is one piece of blocking code. It is made again after a
 * pause when it fails, so the agent comes back when the relay does.
 */
public final class RelayAgent implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("(.+):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;
    private static final int CONNECT_MILLIS = 10_000;
    private static final int PROBE_SECONDS = 30;
    private static final FailurePolicy AGAIN = FailurePolicy.restart(Integer.MAX_VALUE, Duration.ofMinutes(1))
            .withBackoff(Duration.ofMillis(500), Duration.ofSeconds(30), 0.5);

    private final ActorScope scope = ActorSystem.open("relay-agent");
    private final InetSocketAddress relay;
    private final InetSocketAddress target;
    private final SSLContext keys;

    private RelayAgent(InetSocketAddress relay, InetSocketAddress target, SSLContext keys, int lines) {
        this.relay = relay;
        this.target = target;
        this.keys = keys;
        for (int i = 1; i <= lines; i++) {
            scope.named("line " + i).strategy(CreationStrategy.fibers()).onFailure(AGAIN)
                    .newReceivingActor(context -> serveUsers());
        }
    }

    /**
     * Serves until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var agent = start(System.getenv(), args);
        System.out.println("an agent of " + agent.relay.getHostString() + ":" + agent.relay.getPort());
        CtrlC.closes(agent);
    }

    static RelayAgent start(Map<String, String> environment, String... args) {
        var options = Options.read(args, address("--relay", "localhost:8084", "the relay's port for agents"),
                address("--to", "127.0.0.1:8081", "the service that users get to"),
                new Option("--lines", "100", "how many users may be served at a time"),
                RelayKeys.option("agent.p12"));
        return new RelayAgent(address(options, "--relay"), address(options, "--to"),
                RelayKeys.read(options, environment), options.number("--lines", 1, 10_000));
    }

    private static Option address(String name, String initial, String what) {
        return new Option(name, initial, "HOST:PORT, " + what);
    }

    private static InetSocketAddress address(Options options, String name) {
        var parts = ADDRESS.matcher(options.text(name));
        if (!parts.matches() || Integer.parseInt(parts.group(2)) > MAX_PORT) {
            throw options.wrong(name + " wants HOST:PORT, not '" + options.text(name) + "'");
        }
        return InetSocketAddress.createUnresolved(parts.group(1), Integer.parseInt(parts.group(2)));
    }

    private void serveUsers() throws IOException, InterruptedException {
        try {
            while (true) {
                serveUser();
            }
        } catch (IOException | InterruptedException e) {
            if (!scope.isClosing()) {
                throw e;
            }
        }
    }

    /** Serves one user: connects to the relay, waits for the user, and carries bytes both ways. */
    @SuppressWarnings("try") // a failure of one direction closes both sockets at once
    private void serveUser() throws IOException, InterruptedException {
        try (var raw = connected(relay)) { // closed without an end of TLS, which would look like that of the stream
            var line = secured(raw);
            Relay.resetsAtClose(raw, true); // not before: a relay that is not served hears why
            try (var service = await(line)) {
                Relay.resetsAtClose(service, true);
                var both = new CountDownLatch(2);
                Closeable ends = () -> {
                    raw.close();
                    service.close();
                };
                var directions = Stereotypes.with(scope.anonymous().strategy(CreationStrategy.fibers()));
                directions.runOnceSilent(() -> send(line, service, both, ends));
                directions.runOnceSilent(() -> send(service, line, both, ends));
                both.await();
                if (!raw.isClosed()) {
                    Relay.resetsAtClose(raw, false);
                    Relay.resetsAtClose(service, false);
                }
            }
        }
    }

    /** Copies one direction until the end of the stream, and passes the end on. A failure ends both directions. */
    private static void send(Socket from, Socket to, CountDownLatch both, Closeable ends) throws IOException {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            ends.close();
            throw e;
        } finally {
            both.countDown();
        }
    }

    /** Answers the questions of the relay until there is a user; returns the connection to the service. */
    private Socket await(Socket line) throws IOException {
        line.setSoTimeout((int) Relay.SILENCE.toMillis());
        while (true) {
            switch (line.getInputStream().read()) {
                case Relay.PING -> line.getOutputStream().write(Relay.PING);
                case Relay.USER -> {
                    try {
                        var service = connected(target);
                        line.getOutputStream().write(Relay.USER);
                        line.setSoTimeout(0);
                        return service;
                    } catch (IOException noService) {
                        System.err.println(noService.getMessage());
                        line.getOutputStream().write(Relay.NO_SERVICE);
                    }
                }
                default -> throw new IOException("the relay has closed the line");
            }
        }
    }

    /** Looks the name up, and connects. A peer that has vanished is noticed, even while nothing is sent to it. */
    private static Socket connected(InetSocketAddress to) throws IOException {
        var socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(to.getHostString(), to.getPort()), CONNECT_MILLIS);
            socket.setTcpNoDelay(true);
            socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, PROBE_SECONDS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw new IOException("cannot connect to " + to.getHostString() + ":" + to.getPort() + ": "
                    + e.getMessage(), e);
        }
    }

    /** Checks the certificate of the relay, which must be for its name, and shows that of the agent. */
    private SSLSocket secured(Socket raw) throws IOException {
        var secured =
                (SSLSocket) keys.getSocketFactory().createSocket(raw, relay.getHostString(), relay.getPort(),
                        true);
        var parameters = secured.getSSLParameters();
        parameters.setProtocols(new String[]{"TLSv1.3"});
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        secured.setSoTimeout((int) Relay.SILENCE.toMillis());
        secured.startHandshake();
        return secured;
    }

    @Override
    public void close() {
        scope.stop(Duration.ZERO);
    }
}
