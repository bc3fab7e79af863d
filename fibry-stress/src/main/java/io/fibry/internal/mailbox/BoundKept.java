package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import io.fibry.internal.actor.MessageNode;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLI_Result;

/** Two senders and room for one. */
public class BoundKept {
    private BoundKept() {
    }

    private abstract static class Race {
        final BoundedCell<Object, Object> actor = Cells.bounded(1, OverflowPolicy.reject());

        Race() {
            var running = new MessageNode("running");
            actor.offer(running);
            actor.first(running);
        }

        final void doOne(LLI_Result result) {
            result.r1 = actor.offer(new MessageNode("one"));
        }

        final void doOther(LLI_Result result) {
            result.r2 = actor.offer(new MessageNode("other"));
        }

        final void doEnd(LLI_Result result) {
            result.r3 = actor.mailboxSize();
        }
    }

    /** The actor is busy with a message, so nothing leaves the mailbox. */
    @JCStressTest
    @Description("two senders, room for one")
    @Outcome(id = {"QUEUED, FULL, 1", "FULL, QUEUED, 1"}, expect = Expect.ACCEPTABLE, desc = "one of them")
    @Outcome(expect = Expect.FORBIDDEN, desc = "more than the bound, or needlessly refused")
    @State
    public static class NothingLeaves extends Race {
        /** One sender. */
        @Actor
        public void one(LLI_Result result) {
            doOne(result);
        }

        /** The other sender. */
        @Actor
        public void other(LLI_Result result) {
            doOther(result);
        }

        /** What came of it. */
        @Arbiter
        public void end(LLI_Result result) {
            doEnd(result);
        }
    }

    /** The only message in it is taken meanwhile: by the actor, or by a sender that drops the oldest. */
    @JCStressTest
    @Description("a sender || the one message that waits is taken, then another is sent")
    @Outcome(id = {"QUEUED, FULL, 1", "FULL, QUEUED, 1"}, expect = Expect.ACCEPTABLE, desc = "one of them")
    @Outcome(expect = Expect.FORBIDDEN, desc = "more than the bound, or a wrong depth")
    @State
    public static class OneLeaves extends Race {
        /** A busy actor with a full mailbox. */
        public OneLeaves() {
            actor.offer(new MessageNode("waiting"));
        }

        /** One sender. */
        @Actor
        public void one(LLI_Result result) {
            doOne(result);
        }

        /** Makes room, and sends. */
        @Actor
        public void taker(LLI_Result result) {
            actor.poll(null);
            doOther(result);
        }

        /** What came of it. */
        @Arbiter
        public void end(LLI_Result result) {
            doEnd(result);
        }
    }

    /** One message waits, two threads take: each message is taken once. */
    @JCStressTest
    @Description("two takers, one message")
    @Outcome(id = {"waiting, null, 0", "null, waiting, 0"}, expect = Expect.ACCEPTABLE, desc = "one of them")
    @Outcome(expect = Expect.FORBIDDEN, desc = "taken twice, or by nobody")
    @State
    public static class TwoTakers {
        private final BoundedCell<Object, Object> actor = Cells.bounded(2, OverflowPolicy.dropOldest());

        /** A busy actor with a message that waits. */
        public TwoTakers() {
            var running = new MessageNode("running");
            actor.offer(running);
            actor.first(running);
            actor.offer(new MessageNode("waiting"));
        }

        private Object take() {
            var taken = actor.poll(null);
            return taken == null ? null : taken.content();
        }

        /** The turn. */
        @Actor
        public void turn(LLI_Result result) {
            result.r1 = take();
        }

        /** A sender that drops the oldest. */
        @Actor
        public void sender(LLI_Result result) {
            result.r2 = take();
        }

        /** What is left. */
        @Arbiter
        public void end(LLI_Result result) {
            result.r3 = actor.mailboxSize();
        }
    }
}
