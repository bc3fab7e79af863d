package io.fibry.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.net.Server;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * What a process does that may open no more files while it serves HTTP. It prints how busy it is, and what its clients get.
 * Once no file can be opened, no class can be loaded either; so all is done once before.
 */
public final class HttpFiles {
    static final int WAITING = 3;
    private static final byte[] GET =
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** A client that keeps its connection. */
    public interface Client extends Closeable {
        /** Asks for the root, and returns the status of the answer. */
        int get() throws IOException;
    }

    private HttpFiles() {
    }

    /** A client of HTTP/1.1. */
    public static Client client(Server server) throws IOException {
        return client(new Socket(InetAddress.getLoopbackAddress(), server.port()));
    }

    private static Client client(Socket socket) throws IOException {
        socket.setSoTimeout(Patience.MILLIS);
        return new Client() {
            @Override
            public int get() throws IOException {
                socket.getOutputStream().write(GET);
                var answer = new StringBuilder();
                while (answer.indexOf("\r\n\r\nhello") < 0) {
                    var next = socket.getInputStream().read();
                    if (next < 0) {
                        throw new IOException("the connection ended after '" + answer + "'");
                    }
                    answer.append((char) next);
                }
                return HttpFraming.statuses(answer.toString()).getFirst();
            }

            @Override
            public void close() throws IOException {
                socket.close();
            }
        };
    }

    /**
     * Lets a server that answers with "hello" meet this, and ends the process.
     *
     * @param server the server
     * @param connected clients that stay connected
     * @param argument the port of a process that connects often, or "others" if something else keeps all files
     */
    public static void run(Server server, List<Client> connected, String argument) throws Exception {
        Classes.load();
        try (var client = client(server)) {
            client.get();
        }
        processors(1);
        tell("before", connected);
        if (argument.equals("others")) {
            useUpAll(server, connected);
        } else {
            crowd(server, Integer.parseInt(argument));
        }
        System.exit(0);
    }

    private static void tell(String when, List<Client> clients) throws IOException {
        for (var client : clients) {
            System.out.println(when + ": " + client.get());
        }
    }

    /** The other process has as many connections as it likes. */
    private static void crowd(Server server, int port) throws Exception {
        try (var control = new Socket(InetAddress.getLoopbackAddress(), port)) {
            control.getOutputStream().write((server.port() + "\n").getBytes(StandardCharsets.US_ASCII));
            control.getInputStream().read();
            tellHowBusy(server);
        }
    }

    /**
     * A thread that spins gets a part of a processor in each half second, on the busiest machine, too. First what has come is taken. A server that is full closes
     * who says nothing for two seconds, and takes others: it is idle in between, and looked at only as long as it is full.
     */
    private static void tellHowBusy(Server server) throws InterruptedException {
        int full;
        do {
            full = server.connections();
            processors(500);
        } while (server.connections() != full);
        var busy = 1.0;
        for (int i = 0; i < 20 && busy >= 0.1 && server.connections() == full; i++) {
            busy = processors(500);
        }
        System.out.println("processors: " + busy);
        System.out.println("idle: " + (busy < 0.1));
    }

    /** Something else in this process keeps all files. */
    private static void useUpAll(Server server, List<Client> connected) throws Exception {
        var failure = new CountDownLatch(1);
        logged(failure::countDown);
        var waiting = AllFiles.sockets(WAITING);
        var files = new AllFiles();
        for (var socket : waiting) {
            socket.connect(server.address());
        }
        failure.await();
        tell("meanwhile", connected);
        tellHowBusy(server);
        files.close();
        for (var socket : waiting) {
            try (var client = client(socket)) {
                tell("served", List.of(client));
            }
        }
        tell("after", connected);
        for (var client : connected) {
            client.close();
        }
        System.out.println("stopped: " + server.stop(Patience.LIMIT).stopped());
    }

    /** Calls an action whenever the server has logged that it could not accept. */
    private static void logged(Runnable action) {
        var appender = new AppenderBase<ILoggingEvent>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getFormattedMessage().contains("accept")) {
                    action.run();
                }
            }
        };
        appender.start();
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).addAppender(appender);
    }

    /** How many processors this process has used in the time to come. */
    private static double processors(long millis) throws InterruptedException {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var began = System.nanoTime();
        var used = system.getProcessCpuTime();
        Thread.sleep(millis);
        return (system.getProcessCpuTime() - used)
                / (double) Math.max(1, System.nanoTime() - began + TimeUnit.MILLISECONDS.toNanos(1));
    }
}
