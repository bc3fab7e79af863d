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

    /** Binds it. That it cannot be is not a checked exception: the programs of the articles do not expect one. */
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
        socket.moved(); // it was made before anybody came
        return socket;
    }
}
