package io.fibry.internal.scope;

import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Current;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.run.Parking;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs pieces of work inside actors on fibers: an actor does one piece after another. Each piece finds the thread as the
 * first one did.
 */
public final class Pieces {
    private final ActorSpec spec;

    Pieces(ActorSpec spec) {
        this.spec = spec;
    }

    /** A piece of work. */
    @FunctionalInterface
    public interface Piece {
        /** Does the work. */
        void run() throws IOException;
    }

    /**
     * Does a piece of work in the calling actor. After it the carried context, the context of the log, the context class
     * loader and the interrupt flag are as they were before it. Other thread-locals are not restored. Actors to which the
     * piece has sent messages do not wait for the next piece.
     */
    public void run(Piece piece) throws IOException {
        Objects.requireNonNull(Current.runner(), "an actor").markProgress();
        var thread = Thread.currentThread();
        var loader = thread.getContextClassLoader();
        var running = new Running(piece);
        try {
            Carried.around(spec.capture(null), running);
        } finally {
            LogContext.endPiece();
            thread.setContextClassLoader(loader);
            Thread.interrupted();
            Parking.letGo(); // actors to which the piece has sent messages start now
        }
        if (running.broken != null) {
            throw running.broken;
        }
    }

    /** Keeps the exception that a piece has thrown. */
    private static final class Running implements Runnable {
        private final Piece piece;
        private @Nullable IOException broken;

        Running(Piece piece) {
            this.piece = piece;
        }

        @Override
        public void run() {
            try {
                piece.run();
            } catch (IOException e) {
                broken = e;
            }
        }
    }
}
