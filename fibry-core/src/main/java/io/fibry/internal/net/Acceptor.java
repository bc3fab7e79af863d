package io.fibry.internal.net;

import io.fibry.ReceivingContext;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The loop that accepts connections. It first takes a place and then accepts a connection. So a connection for which
 * there is no place waits in the operating system and costs nothing here. If a step fails the acceptor gives the
 * place back. A connection that has its actor gives its place back at its end.
 */
final class Acceptor {
    private final TcpServer server;
    private final ServerSocket listening;
    private final Service service;
    private final Semaphore places;
    private final Pause pause;
    private long accepted;

    Acceptor(TcpServer server, ServerSocket listening, Service service, Semaphore places) {
        this.server = server;
        this.listening = listening;
        this.service = service;
        this.places = places;
        pause = new Pause(server.name(), server.time());
    }

    private record Failure(String step, Throwable cause) {
    }

    void run(ReceivingContext<Object> context) throws InterruptedException {
        while (!server.isStopping()) {
            places.acquire();
            var failure = acceptOne();
            if (failure == null) {
                pause.reset();
            } else if (!server.isStopping()) {
                pause.after(failure.step, failure.cause, context);
            }
        }
    }

    private @Nullable Failure acceptOne() {
        Socket socket;
        try {
            socket = listening.accept();
        } catch (IOException | RuntimeException | Error e) {
            places.release();
            return new Failure("accept a connection", e);
        }
        TcpConnection connection;
        try {
            connection = server.open(socket, ++accepted);
        } catch (RuntimeException | Error e) {
            TcpConnection.close(socket, server.name());
            places.release();
            return new Failure("take in a connection", e);
        }
        try {
            if (server.isStopping()) {
                connection.ended();
            } else {
                service.start(server.crew(), connection);
            }
            return null;
        } catch (RuntimeException | Error e) {
            connection.ended();
            return new Failure("make an actor for " + connection.name(), e);
        }
    }
}
