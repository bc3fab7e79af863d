package io.fibry.net;

import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.testing.AllFiles;
import io.fibry.testing.Classes;
import io.fibry.testing.Patience;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;

/**
 * Uses up all files that this JVM may have open, lets servers meet that in all ways they can, and prints what became of
 * them. Its classes lie in folders: while no file can be opened no class can be loaded either, so what
 * is done meanwhile uses little.
 */
final class ExhaustedChild {
    private static final int WAITING = 3;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private ExhaustedChild() {
    }

    public static void main(String[] args) throws Exception {
        Classes.load();
        var time = new ManualTime();
        var scope = ActorSystem.configure("test").time(time).open();
        var builder = Stereotypes.with(scope.anonymous());
        var server = builder.tcpAcceptor(TcpOptions.localPort(0), ExhaustedChild::serve, null);
        var brief = builder.tcpAcceptor(TcpOptions.localPort(0).totalTimeout(SECOND.multipliedBy(60)),
                ExhaustedChild::serve, null);
        var stopped = builder.tcpAcceptor(TcpOptions.localPort(0), ExhaustedChild::serve, null);
        // Its looks at limits are on a clock of their own: on the other one only acceptors' pauses are short.
        var beside = ActorSystem.configure("http").time(new ManualTime()).open();
        var http = Stereotypes.with(beside.anonymous())
                .embeddedHttpServer(HttpOptions.localPort(0), exchange -> "unused");
        var failing = connected(server);
        var late = connected(brief);
        var cut = connected(stopped);
        var waiting = AllFiles.sockets(WAITING);
        var files = new AllFiles();
        for (var socket : waiting) {
            socket.connect(server.address());
        }
        for (int i = 0; i < 20; i++) {
            awaitPause(time);
            time.advance(SECOND);
        }
        failing.getOutputStream().write('f');
        System.out.println("failed: " + failing.getInputStream().read());
        time.advance(SECOND.multipliedBy(60));
        System.out.println("late: " + late.getInputStream().read());
        System.out.println("stopped: " + stopped.stop(Duration.ZERO).stopped());
        System.out.println("cut: " + cut.getInputStream().read());
        files.close();

        for (var socket : waiting) {
            socket.getOutputStream().write('x');
            // What was closed above has left room for files: who waits may be served already, or after a pause.
            while (socket.getInputStream().available() == 0) {
                if (isPaused(time)) {
                    time.advance(SECOND);
                }
            }
            System.out.println("served: " + (char) socket.getInputStream().read());
            socket.close();
        }
        http.close();
        beside.close();
        scope.close();
        System.out.println("closed: " + server.waitForExit(Duration.ZERO));
    }

    /** Until the acceptor pauses. */
    private static void awaitPause(ManualTime time) {
        while (!isPaused(time)) {
            Thread.onSpinWait();
        }
    }

    private static boolean isPaused(ManualTime time) {
        return time.nanosToNext() <= SECOND.toNanos();
    }

    private static void serve(Socket conn) throws IOException {
        var in = conn.getInputStream();
        for (var next = in.read(); next >= 0; next = in.read()) {
            if (next == 'f') {
                throw new IllegalStateException("as it must");
            }
            conn.getOutputStream().write(next);
        }
    }

    private static Socket connected(Server server) throws IOException {
        var socket = new Socket(server.address().getAddress(), server.port());
        socket.setSoTimeout(Patience.MILLIS);
        socket.getOutputStream().write('x');
        socket.getInputStream().read();
        return socket;
    }
}
