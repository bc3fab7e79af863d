package io.fibry.examples;

import io.fibry.Stereotypes;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.net.Connection;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import io.fibry.net.TlsOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/**
 * Makes a service of a private network reachable from outside, until Ctrl-C. The program runs where users can connect.
 * A {@link RelayAgent} in the private network connects to it, so the firewall needs no hole.
 *
 * <p>The agent keeps a number of <em>lines</em> open: connections that wait for a user. Each line serves one user, whose
 * bytes then go over it, both ways. The relay and its agents show each other certificates by TLS; there is no other
 * secret, and no message but single bytes: the relay asks over a line, and the agent answers with the same byte.
 *
 * <p>Look at {@code serveLine} and {@code sendToAgent}, the two sides of a line: the first one reads it, and the second
 * one is the handler of the actor that writes to it. A failure of either ends both.
 *
 * <p>Each side needs a key, and the certificate of the other side; the password of the files is in {@code
 * FIBRY_RELAY_PASSWORD}:
 *
 * <pre>{@code
 * keytool -genkeypair -alias relay -keyalg EC -dname CN=relay -ext san=dns:relay.example.com -keystore relay.p12
 * keytool -genkeypair -alias agent -keyalg EC -dname CN=agent -keystore agent.p12
 * keytool -exportcert -alias relay -keystore relay.p12 -file relay.crt
 * keytool -exportcert -alias agent -keystore agent.p12 -file agent.crt
 * keytool -importcert -noprompt -alias relay -file relay.crt -keystore agent.p12
 * keytool -importcert -noprompt -alias agent -file agent.crt -keystore relay.p12
 * mvn -q -pl examples -am compile exec:exec -Dexample=relay -Dexample.args="--port 5433 --agents-port 7001 --keys relay.p12"
 * mvn -q -pl examples -am compile exec:exec -Dexample=relay-agent \
 *     -Dexample.args="--relay relay.example.com:7001 --to db.internal:5432 --keys agent.p12"
 * }</pre>
 *
 * <p>Users are not authenticated by the relay: let the service do that. A connection to the port for agents that shows no
 * certificate takes one of its 10,000 places until {@code --idle} is over; let the firewall admit the agents' addresses only,
 * if you know them.
 */
public final class Relay implements AutoCloseable {
    /** Asks whether the agent is alive. */
    static final int PING = 1;
    /** Asks the agent to connect to its service for a user. */
    static final int USER = 2;
    /** Answers that the agent cannot connect to its service. */
    static final int NO_SERVICE = 3;

    /** How often the relay asks over a line that waits. */
    static final Duration HEARTBEAT = Duration.ofSeconds(15);
    /** How long an answer over a line, or the next question, may take. */
    static final Duration SILENCE = HEARTBEAT.multipliedBy(3);
    /** How long a user waits for a line. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final SynchronousQueue<User> waiting = new SynchronousQueue<>(true);
    private final Server users;
    private final Server lines;

    /** A user, until both directions have ended. */
    private record User(Socket socket, CountDownLatch directions) {
        /** Copies one direction until the end of the stream, and passes the end on. A failure ends both directions. */
        void send(Socket from, Socket to) throws IOException {
            try {
                from.getInputStream().transferTo(to.getOutputStream());
                to.shutdownOutput();
                directions.countDown();
            } catch (IOException e) {
                abort();
                throw e;
            }
        }

        void abort() throws IOException {
            socket.close();
            directions.countDown();
            directions.countDown();
        }
    }

    private Relay(TcpOptions forUsers, TcpOptions forLines) {
        users = Stereotypes.fibers().tcpAcceptorSilent(forUsers, this::serveUser, null);
        try {
            lines = Stereotypes.fibers().tcpAcceptor(forLines, this::serveLine, Relay::sendToAgent, null);
        } catch (RuntimeException portIsTaken) {
            users.close();
            throw portIsTaken;
        }
    }

    /**
     * Runs the relay until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var relay = start(System.getenv(), args);
        System.out.printf("users on port %d, agents on port %d%n", relay.port(), relay.agentPort());
        CtrlC.closes(relay);
    }

    static Relay start(Map<String, String> environment, String... args) {
        var options = Options.read(args, Option.port(8083),
                new Option("--agents-port", "8084", "where agents connect; 0 takes any free port"),
                new Option("--idle", "600",
                        "seconds after which a connection over which nothing moves is closed"),
                RelayKeys.option("relay.p12"));
        var idle = Duration.ofSeconds(options.number("--idle", 1, 1_000_000));
        return new Relay(TcpOptions.port(options.port()).idleTimeout(idle),
                TcpOptions.address(new InetSocketAddress(options.port("--agents-port")))
                        .idleTimeout(idle.compareTo(SILENCE) < 0 ? SILENCE : idle)
                        .tls(certified(RelayKeys.read(options, environment))));
    }

    /** Agents must show certificates. With TLS 1.3 one direction of a line may end before the other one. */
    private static TlsOptions certified(SSLContext keys) {
        return TlsOptions.of(keys).clients(TlsOptions.Clients.REQUIRED).protocols("TLSv1.3");
    }

    private void serveUser(Socket socket) throws IOException, InterruptedException {
        var user = new User(socket, new CountDownLatch(2));
        if (!waiting.offer(user, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException("no agent has taken the user within " + PATIENCE);
        }
        user.directions.await(); // the line does the rest
        resetsAtClose(socket, false);
    }

    /**
     * Determines whether the close of a connection is a reset. It is one until both directions have ended, so that no
     * peer takes a part for the whole: the JDK takes the end of a TLS connection for the end of the stream, whatever
     * the reason, even if the other process was killed.
     */
    static void resetsAtClose(Socket socket, boolean resets) throws IOException {
        socket.setSoLinger(resets, 0);
    }

    private void serveLine(Connection<User> line) throws IOException, InterruptedException {
        var socket = line.socket();
        socket.setSoTimeout((int) SILENCE.toMillis());
        var user = await(socket);
        try {
            socket.setSoTimeout(0);
            resetsAtClose(socket, true);
            resetsAtClose(user.socket, true);
            line.actor().sendMessage(user);
        } catch (IOException e) {
            user.abort();
            throw e;
        }
        user.send(socket, user.socket);
        user.directions.await();
        resetsAtClose(socket, false);
    }

    /** Copies what the user sends, while the line is read. */
    private static void sendToAgent(Connection<User> line, User user) throws IOException {
        user.send(user.socket, line.socket());
    }

    /** Returns the next user for whom the agent has connected to its service. */
    private User await(Socket line) throws IOException, InterruptedException {
        while (true) {
            var user = waiting.poll(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
            if (user == null) {
                ask(line, PING);
            } else if (isServed(line, user)) {
                return user;
            } else {
                user.abort();
            }
        }
    }

    private boolean isServed(Socket line, User user) throws IOException, InterruptedException {
        try {
            return ask(line, USER) == USER;
        } catch (IOException dead) {
            // The agent has gone, and nothing of the user was read yet: another line may serve the user.
            if (!waiting.offer(user, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                user.abort();
            }
            throw dead;
        }
    }

    private static int ask(Socket line, int question) throws IOException {
        line.getOutputStream().write(question);
        int answer = line.getInputStream().read();
        if (answer != question && answer != NO_SERVICE) {
            throw new IOException(answer < 0 ? "the agent has closed the line" : "not an agent: " + answer);
        }
        return answer;
    }

    int port() {
        return users.port();
    }

    int agentPort() {
        return lines.port();
    }

    /** Returns how many users are connected. */
    int connections() {
        return users.connections();
    }

    @Override
    public void close() {
        users.close();
        lines.close();
    }
}
