package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import io.fibry.internal.actor.MessageNode;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A sender waits for room that a consumer makes. The limit of its wait only turns a hang into a result. */
public class SpaceToWaitFor {
    private static final int MAX_SPINS = 1000;
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final OverflowPolicy BLOCK = OverflowPolicy.block(LIMIT);

    private SpaceToWaitFor() {
    }

    private static BoundedCell<Object, Object> busyAndFull() {
        var actor = Cells.bounded(1, BLOCK);
        var running = new MessageNode("running");
        actor.offer(running);
        actor.first(running);
        actor.offer(new MessageNode("waiting"));
        return actor;
    }

    /** Sometimes long enough for the sender to park, sometimes not. */
    private static void handleForAWhile() {
        for (int spins = ThreadLocalRandom.current().nextInt(MAX_SPINS); spins > 0; spins--) {
            Thread.onSpinWait();
        }
    }

    /** A message is taken. */
    @JCStressTest
    @Description("a sender waits for room || room is made")
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "it got in")
    @Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "a lost wake-up: it waited beside free room")
    @State
    public static class IsMade {
        private final BoundedCell<Object, Object> actor = busyAndFull();

        /** Waits for room. */
        @Actor
        public void sender(Z_Result result) {
            var since = System.nanoTime();
            result.r1 = actor.sendMessage("one") && System.nanoTime() - since < LIMIT.toNanos();
        }

        /** Makes room. */
        @Actor
        public void turn() {
            handleForAWhile();
            actor.poll(null);
        }
    }

    /** The mailbox is closed, so no thread will make room any more. */
    @JCStressTest
    @Description("a sender waits for room || the mailbox is closed")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "refused")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message without a fate, or a sender that nobody woke")
    @State
    public static class IsGone {
        private final BoundedCell<Object, Object> actor = busyAndFull();
        private int accepted;
        private int left;

        /** Waits for room. */
        @Actor
        public void sender() {
            var since = System.nanoTime();
            accepted = actor.sendMessage("one") ? 1 : 0;
            if (System.nanoTime() - since >= LIMIT.toNanos()) {
                accepted = -1;
            }
        }

        /** Closes. */
        @Actor
        public void turn() {
            handleForAWhile();
            actor.closeMailbox(null, node -> left++);
        }

        /** What came of it. */
        @Arbiter
        public void end(II_Result result) {
            result.r1 = accepted;
            result.r2 = left;
        }
    }
}
