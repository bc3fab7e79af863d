package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.mailbox.Cells;
import io.fibry.internal.run.Runner;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A turn leaves its thread while another thread interrupts it. No interrupt is left behind, or comes later. */
@JCStressTest
@Description("a turn leaves || an interrupt for it")
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the thread is as it was")
@Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "the interrupt went to whoever has the thread next")
@State
public class InterruptOrLeave {
    private static final int LATER = 50;

    private final Cell actor = Cells.unbounded();

    /** The turn, and what the thread does after it. */
    @Actor
    public void turn(I_Result result) {
        var turn = new Turn(actor, new StopNode(Reason.EXIT));
        turn.runner = new Runner(Thread.currentThread());
        turn.enter();
        turn.unpublish(true);
        for (int i = 0; i < LATER && result.r1 == 0; i++) {
            result.r1 = Thread.interrupted() ? 1 : 0;
        }
    }

    /** A stopper whose deadline is over. It makes the extended state, which the turn may not know yet. */
    @Actor
    public void interrupter() {
        Interrupts.turn(actor);
    }
}
