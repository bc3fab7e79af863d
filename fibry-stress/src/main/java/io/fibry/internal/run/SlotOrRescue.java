package io.fibry.internal.run;

import io.fibry.internal.actor.Behavior;
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
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A lane takes its next turn out of the slot without a fence of its own, while the monitor takes it as well. The result:
 * how often that turn was run.
 */
public class SlotOrRescue {
    private SlotOrRescue() {
    }

    private abstract static class Race {
        private final Lanes lanes =
                new Lanes(Runnable::run, new ManualTime(), true, before -> () -> {
                }, 1);
        private final AtomicInteger runs = new AtomicInteger();
        final Turn next = turn((turn, message) -> runs.incrementAndGet());
        final Lane lane = lane((turn, message) -> {
            handles();
            return message;
        });
        private final Lane another = lane((turn, message) -> message);

        abstract void handles();

        private static Turn turn(Behavior behavior) {
            var cell = Cells.unbounded(behavior);
            var node = new MessageNode("");
            cell.offer(node);
            return new Turn(cell, node);
        }

        private Lane lane(Behavior behavior) {
            return new Lane(lanes, turn(behavior), 0);
        }

        /** After about as long as the lane takes for its first turn. */
        final void rescues() {
            another.run();
            var seen = lane.slot();
            if (seen != null && lane.steal(seen)) {
                lanes.startElsewhere(seen);
            }
        }

        final void ends(I_Result result) {
            result.r1 = runs.get();
        }
    }

    /** The lane goes on with what is next. */
    @JCStressTest
    @Description("a turn ends, the next one begins || the monitor takes that")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "one of them has run it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "nobody has run it, or both")
    @State
    public static class Ends extends Race {
        /** What is next is there. */
        public Ends() {
            lane.put(next);
        }

        @Override
        void handles() {
            // sends nothing
        }

        /** The lane. */
        @Actor
        public void lane() {
            lane.run();
        }

        /** The monitor. */
        @Actor
        public void monitor() {
            rescues();
        }

        /** What came of it. */
        @Arbiter
        public void end(I_Result result) {
            ends(result);
        }
    }

    /** A message has come just before the turn ended, and what was taken ahead is put back. */
    @JCStressTest
    @Description("a turn nearly ends, and goes on || the monitor takes what is next")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "one of them has run it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "nobody has run it, or both")
    @State
    public static class GoesOn extends Race {
        @Override
        void handles() {
            lane.put(next);
            lane.prepareEnd();
            lane.cancelEnd();
        }

        /** The lane. */
        @Actor
        public void lane() {
            lane.run();
        }

        /** The monitor. */
        @Actor
        public void monitor() {
            rescues();
        }

        /** What came of it. */
        @Arbiter
        public void end(I_Result result) {
            ends(result);
        }
    }
}
