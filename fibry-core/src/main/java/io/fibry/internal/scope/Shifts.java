package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ReceivingBody;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.BodyNode;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Stopping;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Strategies;
import java.util.Objects;

/**
 * Lets fibers do one piece of work after another, each fiber as one actor, on its own thread, and each piece as if it
 * were the first there. These actors do not count for a limit of how many run at a time: they are to wait for those that do.
 */
public final class Shifts {
    private final ActorSpec spec;

    /**
     * Makes it.
     *
     * @param like what the actors are like otherwise
     */
    public Shifts(Builder like) {
        spec = like.spec().on(Strategies.WAITERS_HERE).asReceiving();
    }

    /**
     * Runs a fiber's shift, on that fiber, as an actor of its own. Also while the scope waits for its last messages. Safe to
     * call from several threads at a time.
     *
     * @param shift what to do; it receives nothing
     * @throws IllegalStateException if the scope is closed; the shift has not begun then
     */
    public void run(ReceivingBody<Object> shift) {
        Objects.requireNonNull(shift, "shift");
        Cell cell = ActorFactory.cell(spec, Behaviors.body(shift, false, null));
        new Admission(Scope.of(spec), cell).takeIn(new BodyNode(shift, false, null));
    }

    /**
     * Interrupts a shift, and ends it after that. Does not wait.
     *
     * @param shift the actor that it is run as
     */
    public static void force(Actor<?, ?> shift) {
        Stopping.force((Cell) shift);
    }

    /**
     * Does a piece of work in a shift. What is to be carried with messages, the log's context, the class loader of the
     * context and the interrupt flag are then as they were before it; other thread-locals are not looked after. What it
     * has sent to is not kept waiting for the next piece.
     *
     * @param work the piece
     */
    public void piece(Runnable work) {
        Parking.letGo(); // what the piece before has sent to had better not wait for this one
        Objects.requireNonNull(Current.strand(), "a shift").markProgress();
        var thread = Thread.currentThread();
        var loader = thread.getContextClassLoader();
        try {
            Carried.around(spec.capture(), work);
        } finally {
            LogContext.endPiece();
            thread.setContextClassLoader(loader);
            Thread.interrupted();
        }
    }
}
