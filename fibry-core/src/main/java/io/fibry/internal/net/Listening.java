package io.fibry.internal.net;

import io.fibry.net.TcpOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A server socket whose connections are {@link ServedSocket}s. */
class Listening extends ServerSocket {
    private final @Nullable LongSupplier clock;

    Listening(@Nullable LongSupplier clock) throws IOException {
        this.clock = clock;
    }

    /**
     * Opens and binds a server socket. A failure is an unchecked exception, since the programs of the articles
     * expect no checked one.
     */
    static Listening open(TcpOptions options, @Nullable LongSupplier clock) {
        try {
            var listening = new Listening(clock);
            try {
                listening.bind(options.address(), options.backlog());
                return listening;
            } catch (IOException | RuntimeException e) {
                listening.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + options.address() + ": " + e.getMessage()
                    + "; choose another port, or 0 for any free one", e);
        }
    }

    @Override
    public Socket accept() throws IOException {
        var socket = new ServedSocket(clock);
        implAccept(socket);
        socket.moved(); // the socket was made before the client came
        return socket;
    }
}
