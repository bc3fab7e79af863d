package io.fibry.examples;

import io.fibry.Stereotypes;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Options;
import io.fibry.net.RelayAgentOptions;
import io.fibry.net.TcpRelayAgent;
import java.util.Map;

/**
 * Offers a service to the users of a {@link Relay}, until Ctrl-C. The program runs in the private network, and connects
 * to the relay.
 */
public final class RelayAgent {
    private RelayAgent() {
    }

    /**
     * Serves until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var agent = start(System.getenv(), args);
        System.out.println(agent);
        CtrlC.closes(agent);
    }

    static TcpRelayAgent start(Map<String, String> environment, String... args) {
        var options = Options.read(args,
                RelayEnds.address("--relay", "127.0.0.1:8084", "the relay's port for agents"),
                RelayEnds.address("--to", "127.0.0.1:8081", "the service that users get to"));
        return Stereotypes.fibers().tcpRelayAgent(RelayAgentOptions.of(RelayEnds.address(options, "--relay"),
                RelayEnds.address(options, "--to"), RelayEnds.secret(options, environment)));
    }
}
