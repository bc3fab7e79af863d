package io.fibry.examples;

import io.fibry.Stereotypes;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.regex.Pattern;

/** Forwards a TCP port of this machine to another host, until Ctrl-C. */
public final class Forward {
    private static final Pattern TARGET = Pattern.compile("(.+):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;
    private static final Duration IDLE = Duration.ofMinutes(10);

    private Forward() {
    }

    /**
     * Forwards until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var server = start(args);
        System.out.printf("127.0.0.1:%d goes on; try http-hello beside it, and curl http://127.0.0.1:%1$d/%n",
                server.port());
        CtrlC.closes(server);
    }

    static Server start(String... args) {
        var options = Options.read(args, Option.port(8082),
                new Option("--to", "127.0.0.1:8080", "HOST:PORT, where what comes in goes to"));
        var target = TARGET.matcher(options.text("--to"));
        if (!target.matches() || Integer.parseInt(target.group(2)) > MAX_PORT) {
            throw options.wrong("--to wants HOST:PORT, not '" + options.text("--to") + "'");
        }
        return Stereotypes.fibers().tcpForward(TcpOptions.localPort(options.port()).idleTimeout(IDLE),
                InetSocketAddress.createUnresolved(target.group(1), Integer.parseInt(target.group(2))), null);
    }
}
