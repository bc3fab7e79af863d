package io.fibry.examples;

import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import java.io.UncheckedIOException;

/** Runs {@link HttpHello} and {@link TcpHello} in one program. This example runs if no other one is named. */
public final class Servers {
    private Servers() {
    }

    /**
     * Serves until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var options = Options.read(args,
                new Option("--port", "8080", "where HTTP is served; 0 takes any free port"),
                new Option("--tcp-port", "8081", "where TCP is served; 0 takes any free port"));
        int tcpPort = options.port("--tcp-port");
        var http = HttpHello.start(options.port("--port"));
        var tcp = startTcp(tcpPort, http);
        System.out.printf("""
                HTTP: http://127.0.0.1:%1$d/   handlers run in actors
                TCP:  127.0.0.1:%2$d           an actor for each connection; speaks just enough HTTP

                Try in another terminal:
                  curl http://127.0.0.1:%1$d/            Hello World!
                  curl http://127.0.0.1:%1$d/visits      the number of requests, kept by an actor
                  curl http://127.0.0.1:%2$d/            Hello!
                  ab -k -n 50000 -c 100 http://127.0.0.1:%1$d/    expect "Failed requests: 0",
                  ab -k -n 50000 -c 100 http://127.0.0.1:%2$d/    tens of thousands of requests a second

                There is more to see: mvn -q -pl examples -am compile exec:exec -Dexample=list
                """, http.port(), tcp.port());
        CtrlC.closes(tcp, http);
    }

    private static TcpHello startTcp(int port, HttpHello http) {
        try {
            return TcpHello.start(port);
        } catch (UncheckedIOException portIsTaken) {
            http.close();
            throw portIsTaken;
        }
    }
}
