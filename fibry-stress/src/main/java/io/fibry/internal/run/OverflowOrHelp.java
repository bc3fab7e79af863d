package io.fibry.internal.run;

import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.mailbox.Cells;
import io.fibry.time.ManualTime;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A lane's turns overflow while helpers come. The results: how many turns each has got, and whether a helper is on its
 * way for what is left.
 */
public class OverflowOrHelp {
    private OverflowOrHelp() {
    }

    private abstract static class Race {
        final AtomicInteger sent = new AtomicInteger();
        final Lanes lanes =
                new Lanes(helper -> sent.incrementAndGet(), new ManualTime(), true, before -> () -> {
                }, 1);
        final Overflow overflow = lanes.overflow;
        final Lane lane = new Lane(lanes, 0);
        final Lane helper = new Lane(lanes, 0);
        int arrived;
        int got;
        int helped;

        Race() {
            add();
        }

        final void add() {
            overflow.add(new Turn(Cells.unbounded(), new MessageNode("")), lane);
        }

        final void helps() {
            overflow.dispatch.countArrival();
            arrived++;
            if (overflow.take(helper) != null) {
                helped++;
            }
        }

        final int unhelped(int all) {
            return all == got + helped || sent.get() > arrived ? 0 : 1;
        }
    }

    /** The helper that was sent for the first turn may come before the second. */
    @JCStressTest
    @Description("add || a helper comes")
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "it takes one, and another helper is sent for the rest")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a turn that nobody comes for, or the helper found nothing")
    @State
    public static class Adds extends Race {
        /** The lane. */
        @Actor
        public void lane() {
            add();
        }

        /** The helper. */
        @Actor
        public void helper() {
            helps();
        }

        /** What came of it. */
        @Arbiter
        public void end(II_Result result) {
            result.r1 = helped;
            result.r2 = unhelped(2);
        }
    }

    /** Both want the only turn. */
    @JCStressTest
    @Description("the lane takes || a helper comes")
    @Outcome(id = {"1, 0, 0", "0, 1, 0"}, expect = Expect.ACCEPTABLE, desc = "one of them has it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both have it, or nobody")
    @State
    public static class Takes extends Race {
        /** The lane. */
        @Actor
        public void lane() {
            if (overflow.take(lane) != null) {
                got++;
            }
        }

        /** The helper. */
        @Actor
        public void helper() {
            helps();
        }

        /** What came of it. */
        @Arbiter
        public void end(III_Result result) {
            result.r1 = got;
            result.r2 = helped;
            result.r3 = unhelped(1);
        }
    }

    /** The lane gives way, adds nothing any more, and comes back. */
    @JCStressTest
    @Description("the lane leaves its backlog and comes back || a helper comes")
    @Outcome(id = {"2, 0, 0", "1, 1, 0",
        "0, 1, 0"}, expect = Expect.ACCEPTABLE, desc = "one of them has it all, or each a part")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a turn that nobody comes for, or that two have")
    @State
    public static class GivesWay extends Race {
        /** With two turns. */
        public GivesWay() {
            add();
        }

        /** The lane. */
        @Actor
        public void lane() {
            var left = lane.backlog;
            if (left == null) {
                throw new AssertionError("no backlog");
            }
            var owner = left.ownerNumber();
            left.makeOldDue();
            overflow.release(lane);
            if (overflow.resume(lane, left, owner)) {
                while (overflow.take(lane) != null) {
                    got++;
                }
            }
        }

        /** The helper. */
        @Actor
        public void helper() {
            helps();
        }

        /** What came of it. */
        @Arbiter
        public void end(III_Result result) {
            result.r1 = got;
            result.r2 = helped;
            result.r3 = unhelped(2);
        }
    }
}
