package io.fibry.examples;

import java.io.IOException;
import java.util.List;

/** An HTTP server and a TCP server in one program, until Ctrl-C. */
public final class Hello {
    private static final String USAGE = "usage: [--http-port N] [--tcp-port N]   (0 takes any free port)";

    private Hello() {
    }

    /** What is wrong with an argument. */
    private static final class BadArgument extends Exception {
        private static final long serialVersionUID = 1;

        BadArgument(String message) {
            super(message);
        }
    }

    private record Ports(int http, int tcp) {
        static Ports parse(List<String> args) throws BadArgument {
            int http = 8080;
            int tcp = 8081;
            for (int i = 0; i < args.size(); i += 2) {
                var option = args.get(i);
                switch (option) {
                    case "--http-port" -> http = port(option, args, i + 1);
                    case "--tcp-port" -> tcp = port(option, args, i + 1);
                    default -> throw new BadArgument("unknown argument '" + option + "'");
                }
            }
            return new Ports(http, tcp);
        }

        private static int port(String option, List<String> args, int at) throws BadArgument {
            var value = at < args.size() ? args.get(at) : "nothing";
            if (!value.matches("[0-9]{1,5}") || Integer.parseInt(value) > 65_535) {
                throw new BadArgument(option + " wants a number from 0 to 65535, not '" + value + "'");
            }
            return Integer.parseInt(value);
        }
    }

    /**
     * Runs the servers until the JVM is asked to end.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        if (List.of(args).contains("--help")) {
            System.out.println(USAGE);
            return;
        }
        try {
            serve(Ports.parse(List.of(args)));
        } catch (BadArgument wrong) {
            System.err.println(wrong.getMessage());
            System.err.println(USAGE);
            System.exit(2);
        } catch (IOException noServer) {
            System.err.println(noServer.getMessage());
            System.exit(2);
        }
    }

    private static void serve(Ports ports) throws IOException {
        var http = HttpHello.start(ports.http());
        var tcp = TcpHello.start(ports.tcp());
        // An end by Ctrl-C runs this, not what follows main.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            tcp.close();
            http.close();
            System.out.println("stopped");
        }));
        System.out.printf("""
                HTTP: http://127.0.0.1:%1$d/   an actor for each request
                TCP:  127.0.0.1:%2$d           an actor for each connection; speaks just enough HTTP

                Try in another terminal:
                  curl http://127.0.0.1:%1$d/            Hello World!
                  curl http://127.0.0.1:%1$d/visits      the number of requests, kept by an actor
                  curl http://127.0.0.1:%2$d/            Hello!
                  ab -k -n 50000 -c 100 http://127.0.0.1:%1$d/    expect "Failed requests: 0",
                  ab -k -n 50000 -c 100 http://127.0.0.1:%2$d/    tens of thousands of requests a second

                Ctrl-C stops both.
                """, http.port(), tcp.port());
        tcp.waitUntilClosed();
    }
}
