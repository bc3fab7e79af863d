package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ReceivingContext;
import io.fibry.function.Handler;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.receive.BodyNode;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Strategies;
import java.util.Objects;

/**
 * Runs fibers as actors: a <em>shift</em> is one actor that runs on the calling fiber and does one piece of work
 * after another. Each piece finds the thread as the first one does. These actors do not count for a limit of running
 * turns, since they wait for actors that do count.
 */
public final class Shifts {
    private final ActorSpec spec;

    /**
     * Makes the shifts of one server.
     *
     * @param like the builder whose specification the actors have otherwise
     */
    public Shifts(Builder like) {
        spec = like.spec().on(Strategies.WAITERS_HERE).asReceiving();
    }

    /**
     * Runs a shift on the calling fiber, as a new actor. A shift may also begin while the scope is draining. Several
     * threads may call this method at the same time.
     *
     * @param shift the body of the actor; it receives no messages
     * @throws IllegalStateException if the scope is closed; the shift has then not begun
     */
    public void run(Handler<ReceivingContext<Object>> shift) {
        Objects.requireNonNull(shift, "shift");
        Cell cell = ActorFactory.cell(spec, Behaviors.body(shift, false, null));
        new Admission(Scope.of(spec), cell).takeIn(new BodyNode(shift, false, null));
    }

    /**
     * Interrupts a shift, which then ends. This method does not wait.
     *
     * @param shift the actor of the shift
     */
    public static void force(Actor<?, ?> shift) {
        ((Cell) shift).force();
    }

    /**
     * Does a piece of work in a shift. After it the carried context, the context of the log, the context class
     * loader and the interrupt flag are as they were before it. Other thread-locals are not restored. Actors to
     * which the previous piece has sent messages do not wait for this piece.
     *
     * @param work the piece of work
     */
    public void piece(Runnable work) {
        Parking.letGo(); // actors to which the previous piece has sent messages start now
        Objects.requireNonNull(Current.runner(), "a shift").markProgress();
        var thread = Thread.currentThread();
        var loader = thread.getContextClassLoader();
        try {
            Carried.around(spec.capture(null), work);
        } finally {
            LogContext.endPiece();
            thread.setContextClassLoader(loader);
            Thread.interrupted();
        }
    }
}
