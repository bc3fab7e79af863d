package io.fibry.internal.net;

import io.fibry.net.TcpOptions;
import java.io.IOException;
import java.net.Socket;

/** A server socket that accepts as a test wants it to. */
final class Faulty extends Listening {
    private final Accept accept;

    /** What to do instead of accepting. */
    @FunctionalInterface
    interface Accept {
        Socket from(Faulty listening) throws IOException;
    }

    private Faulty(Accept accept) throws IOException {
        super(null);
        this.accept = accept;
    }

    static Faulty open(TcpOptions options, Accept accept) throws IOException {
        var listening = new Faulty(accept);
        listening.bind(options.address(), options.backlog());
        return listening;
    }

    @Override
    public Socket accept() throws IOException {
        return accept.from(this);
    }

    /** As without faults. */
    Socket properly() throws IOException {
        return super.accept();
    }

    /** Accepts into a socket of the test's. */
    <S extends Socket> S into(S socket) throws IOException {
        implAccept(socket);
        return socket;
    }

    static void sneak(Throwable failure) throws IOException {
        switch (failure) {
            case IOException e -> throw e;
            case Error e -> throw e;
            default -> throw (RuntimeException) failure;
        }
    }
}
