package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import io.fibry.internal.actor.Mailbox;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZL_Result;

/** A turn makes the mailbox idle while a sender puts a message in: exactly one of them goes on. */
public class IdleOrSend {
    private IdleOrSend() {
    }

    private abstract static class Race {
        private final Mailbox mailbox;
        private final Node last = new MessageNode("first");
        private final Node second = new MessageNode("second");

        Race(Mailbox mailbox) {
            this.mailbox = mailbox;
            mailbox.offer(last);
            mailbox.first(last);
        }

        final void doTurn(ZL_Result result) {
            result.r1 = mailbox.becomeIdle(last);
        }

        final void doSender(ZL_Result result) {
            result.r2 = mailbox.offer(second);
        }
    }

    /** An unbounded mailbox. */
    @JCStressTest
    @Description("becomeIdle || offer, unbounded")
    @Outcome(id = "true, WAKE", expect = Expect.ACCEPTABLE, desc = "idle first: the sender starts a turn")
    @Outcome(id = "false, QUEUED", expect = Expect.ACCEPTABLE, desc = "sent first: the turn goes on")
    @Outcome(id = "true, QUEUED", expect = Expect.FORBIDDEN, desc = "lost wake-up")
    @Outcome(id = "false, WAKE", expect = Expect.FORBIDDEN, desc = "two turns at once")
    @State
    public static class Unbounded extends Race {
        /** The mailbox of a running turn. */
        public Unbounded() {
            super(Cells.unbounded());
        }

        /** The turn. */
        @Actor
        public void turn(ZL_Result result) {
            doTurn(result);
        }

        /** A sender. */
        @Actor
        public void sender(ZL_Result result) {
            doSender(result);
        }
    }

    /** An unbounded mailbox with a chunk, of which all entries have been taken. */
    @JCStressTest
    @Description("becomeIdle || offer, unbounded, in a chunk")
    @Outcome(id = "true, WAKE", expect = Expect.ACCEPTABLE, desc = "idle first: the sender starts a turn")
    @Outcome(id = "false, QUEUED", expect = Expect.ACCEPTABLE, desc = "sent first: the turn goes on")
    @Outcome(id = "true, QUEUED", expect = Expect.FORBIDDEN, desc = "lost wake-up")
    @Outcome(id = "false, WAKE", expect = Expect.FORBIDDEN, desc = "two turns at once")
    @State
    public static class Chunked {
        private static final int BEFORE = 16;
        private final UnboundedCell<Object, Object> mailbox = Cells.unbounded();
        private Node last = new MessageNode("first");

        /** The mailbox of a running turn. */
        public Chunked() {
            mailbox.offer(last);
            for (int i = 1; i < BEFORE; i++) {
                mailbox.sendMessage("more");
            }
            for (int i = 1; i < BEFORE; i++) {
                last = mailbox.poll(last);
                last.entry();
            }
        }

        /** The turn. */
        @Actor
        public void turn(ZL_Result result) {
            result.r1 = mailbox.becomeIdle(last);
        }

        /** A sender. */
        @Actor
        public void sender(ZL_Result result) {
            result.r2 = mailbox.putMessage("second")
                    ? Mailbox.Offer.QUEUED
                    : mailbox.offer(new MessageNode("second"));
        }
    }

    /** A bounded mailbox. */
    @JCStressTest
    @Description("becomeIdle || offer, bounded")
    @Outcome(id = "true, WAKE", expect = Expect.ACCEPTABLE, desc = "idle first: the sender starts a turn")
    @Outcome(id = "false, QUEUED", expect = Expect.ACCEPTABLE, desc = "sent first: the turn goes on")
    @Outcome(id = "true, QUEUED", expect = Expect.FORBIDDEN, desc = "lost wake-up")
    @Outcome(id = "false, WAKE", expect = Expect.FORBIDDEN, desc = "two turns at once")
    @State
    public static class Bounded extends Race {
        /** The mailbox of a running turn. */
        public Bounded() {
            super(Cells.bounded(8, OverflowPolicy.reject()));
        }

        /** The turn. */
        @Actor
        public void turn(ZL_Result result) {
            doTurn(result);
        }

        /** A sender. */
        @Actor
        public void sender(ZL_Result result) {
            doSender(result);
        }
    }

    /** A bounded mailbox with a chunk, of which all entries have been taken. */
    @JCStressTest
    @Description("becomeIdle || offer, bounded, in a chunk")
    @Outcome(id = "true, WAKE", expect = Expect.ACCEPTABLE, desc = "idle first: the sender starts a turn")
    @Outcome(id = "false, QUEUED", expect = Expect.ACCEPTABLE, desc = "sent first: the turn goes on")
    @Outcome(id = "true, QUEUED", expect = Expect.FORBIDDEN, desc = "lost wake-up")
    @Outcome(id = "false, WAKE", expect = Expect.FORBIDDEN, desc = "two turns at once")
    @State
    public static class ChunkedBounded {
        private static final int BEFORE = 16;
        private final BoundedCell<Object, Object> mailbox = Cells.bounded(20, OverflowPolicy.reject());
        private final Node first = new MessageNode("first");

        /** The mailbox of a running turn. */
        public ChunkedBounded() {
            mailbox.offer(first);
            mailbox.first(first);
            for (int i = 1; i < BEFORE; i++) {
                mailbox.sendMessage("more");
            }
            for (int i = 1; i < BEFORE; i++) {
                mailbox.pollEntry();
            }
        }

        /** The turn. */
        @Actor
        public void turn(ZL_Result result) {
            result.r1 = mailbox.becomeIdle(first);
        }

        /** A sender. */
        @Actor
        public void sender(ZL_Result result) {
            result.r2 = mailbox.putMessage("second")
                    ? Mailbox.Offer.QUEUED
                    : mailbox.offer(new MessageNode("second"));
        }
    }
}
