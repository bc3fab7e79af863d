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

    /** So many messages that the last one is in a chunk. */
    private static final int CHUNKED = 17;

    private abstract static class Race {
        final BoundedCell<Object, Object> actor;

        /** So many messages wait, and there is room for one more. */
        Race(int waiting) {
            actor = Cells.bounded(waiting + 1, OverflowPolicy.reject());
            var running = new MessageNode("running");
            actor.offer(running);
            actor.first(running);
            for (int n = 0; n < waiting; n++) {
                actor.offer(new MessageNode("waiting"));
            }
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
        /** A busy actor. */
        public NothingLeaves() {
            super(0);
        }

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
            super(0);
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

    /** As {@link NothingLeaves}, in a chunk. */
    @JCStressTest
    @Description("two senders, room for one in a chunk")
    @Outcome(id = {"QUEUED, FULL, 18", "FULL, QUEUED, 18"}, expect = Expect.ACCEPTABLE, desc = "one of them")
    @Outcome(expect = Expect.FORBIDDEN, desc = "more than the bound, or needlessly refused")
    @State
    public static class NothingLeavesAChunk extends Race {
        /** A busy actor with a chunk. */
        public NothingLeavesAChunk() {
            super(CHUNKED);
        }

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

    /** As {@link OneLeaves}, in a chunk. */
    @JCStressTest
    @Description("a sender || the oldest message is taken, then another is sent; in a chunk")
    @Outcome(id = {"QUEUED, FULL, 18", "FULL, QUEUED, 18"}, expect = Expect.ACCEPTABLE, desc = "one of them")
    @Outcome(expect = Expect.FORBIDDEN, desc = "more than the bound, or a wrong depth")
    @State
    public static class OneLeavesAChunk extends Race {
        /** A busy actor with a full mailbox. */
        public OneLeavesAChunk() {
            super(CHUNKED);
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

    /** One message waits in a chunk, two threads take: each message is taken once. */
    @JCStressTest
    @Description("two takers, one message in a chunk")
    @Outcome(id = {"waiting, null, 0", "null, waiting, 0"}, expect = Expect.ACCEPTABLE, desc = "one of them")
    @Outcome(expect = Expect.FORBIDDEN, desc = "taken twice, or by nobody")
    @State
    public static class TwoTakersOfAChunk extends Race {
        /** A busy actor with a message that waits in a chunk. */
        public TwoTakersOfAChunk() {
            super(CHUNKED);
            for (int n = 1; n < CHUNKED; n++) {
                actor.poll(null);
            }
        }

        private Object take() {
            var taken = actor.pollEntry();
            return taken instanceof MessageNode node ? node.content() : taken;
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
            return taken instanceof MessageNode message ? message.content() : null;
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
