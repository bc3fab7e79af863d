package io.fibry.examples;

import io.fibry.Stereotypes;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.regex.Pattern;

/** Forwards a TCP port of this machine to another host, until Ctrl-C. */
public final class Forward {
    private static final String USAGE =
            "usage: PORT HOST:PORT   (what comes in on the first goes to the second)";
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");
    private static final Pattern TARGET = Pattern.compile("(.+):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;
    private static final Duration IDLE = Duration.ofMinutes(10);

    private Forward() {
    }

    /**
     * Forwards until the JVM is asked to end.
     *
     * @param args the port here, and the target
     */
    public static void main(String[] args) {
        try {
            var server = start(args);
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            System.out.printf("127.0.0.1:%d goes to %s; Ctrl-C stops it%n", server.port(), args[1]);
            server.waitForExit();
        } catch (IllegalArgumentException | UncheckedIOException wrong) {
            System.err.println(wrong.getMessage());
            System.err.println(USAGE);
            System.exit(2);
        }
    }

    static Server start(String... args) {
        if (args.length != 2) {
            throw new IllegalArgumentException("two arguments are wanted, not " + args.length);
        }
        var target = TARGET.matcher(args[1]);
        if (!PORT.matcher(args[0]).matches() || !target.matches()) {
            throw new IllegalArgumentException("'" + String.join(" ", args) + "' is no port and target");
        }
        return Stereotypes.fibers().tcpForward(TcpOptions.localPort(port(args[0])).idleTimeout(IDLE),
                InetSocketAddress.createUnresolved(target.group(1), port(target.group(2))), null);
    }

    private static int port(String digits) {
        var port = Integer.parseInt(digits);
        if (port > MAX_PORT) {
            throw new IllegalArgumentException(
                    "a port is a number from 0 to " + MAX_PORT + ", not " + digits);
        }
        return port;
    }
}
