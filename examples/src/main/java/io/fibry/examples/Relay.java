package io.fibry.examples;

import io.fibry.Stereotypes;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.net.RelayOptions;
import io.fibry.net.TcpOptions;
import io.fibry.net.TcpRelay;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;

/**
 * Makes a service of a private network reachable from outside, until Ctrl-C. The program runs where users can connect,
 * and waits for a {@link RelayAgent}.
 */
public final class Relay {
    private static final Duration IDLE = Duration.ofMinutes(10);

    private Relay() {
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

    static TcpRelay start(Map<String, String> environment, String... args) {
        var options = Options.read(args, Option.port(8083),
                new Option("--agents-port", "8084", "where agents connect; 0 takes any free port"));
        var users = TcpOptions.port(options.port()).idleTimeout(IDLE);
        var agents = new InetSocketAddress(options.port("--agents-port"));
        return Stereotypes.fibers()
                .tcpRelay(RelayOptions.of(users, agents, RelayEnds.secret(options, environment)));
    }
}
