package io.fibry.internal.run;

import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.mailbox.Cells;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Turns are left to lanes that stay for a moment. The results: how many were left, and how many the lanes have got. */
public class CalledOrGone {
    private CalledOrGone() {
    }

    private abstract static class Race {
        private final AskRendezvous rendezvous = new AskRendezvous();

        final int leaves() {
            return rendezvous.offer(new Turn(Cells.unbounded(), new MessageNode(""))) ? 1 : 0;
        }

        final int stays() {
            return rendezvous.await() == null ? 0 : 1;
        }
    }

    /** The lane comes twice, if it is worth its while. */
    @JCStressTest
    @Description("a thread asks and asks || a lane stays for a moment, and for another")
    @Outcome(id = {"0, 0", "1, 1", "2, 2"}, expect = Expect.ACCEPTABLE, desc = "the lane has what was left")
    @Outcome(expect = Expect.FORBIDDEN, desc = "what was left is nowhere")
    @State
    public static class Asks extends Race {
        /** The thread. */
        @Actor
        public void thread(II_Result result) {
            result.r1 = leaves() + leaves();
        }

        /** The lane. */
        @Actor
        public void lane(II_Result result) {
            result.r2 = stays() + stays();
        }
    }

    /** Two lanes want to be at the same rendezvous. Each result: how many were left, less what lanes have got. */
    @JCStressTest
    @Description("a lane stays for a moment || a thread asks, then another lane comes")
    @Outcome(id = {"0, 0", "-1, 1"}, expect = Expect.ACCEPTABLE, desc = "one of the lanes has what was left")
    @Outcome(expect = Expect.FORBIDDEN, desc = "what was left is nowhere, or both have it")
    @State
    public static class TwoLanes extends Race {
        /** The lane. */
        @Actor
        public void lane(II_Result result) {
            result.r1 = -stays();
        }

        /** The thread, and the other lane. */
        @Actor
        public void other(II_Result result) {
            var left = leaves();
            result.r2 = left - stays();
        }
    }
}
