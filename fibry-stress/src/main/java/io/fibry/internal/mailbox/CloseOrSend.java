package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Mailbox;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.handle.Handle;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * An actor ends while messages are sent to it. The results: accepted messages without a fate, refused
 * messages that were not counted once, and whether the actor has ended.
 */
public class CloseOrSend {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private CloseOrSend() {
    }

    private abstract static class Race {
        final Handle<Object, Object> actor;
        private boolean oneAccepted;
        private boolean otherAccepted;

        Race(Handle<Object, Object> actor) {
            this.actor = actor;
        }

        final void sendOne() {
            oneAccepted = actor.sendMessage("one");
        }

        final void sendOneLate() {
            oneAccepted = sendLate("one");
        }

        final void sendOtherLate() {
            otherAccepted = sendLate("other");
        }

        /** Sends as a sender that has found the actor alive and comes late. */
        private boolean sendLate(String message) {
            var node = new MessageNode(message);
            var offer = actor.offer(node);
            switch (offer) {
                case WAKE -> actor.start(node);
                case CLOSED -> actor.lose(node, Cause.STOPPED, null);
                default -> {
                }
            }
            return offer != Mailbox.Offer.CLOSED;
        }

        final void end(III_Result result) {
            // What comes after the message for which a sender lends its thread is done on another one.
            var hasEnded = actor.waitForExit(PATIENCE);
            var counters = actor.counters();
            var accepted = (oneAccepted ? 1 : 0) + (otherAccepted ? 1 : 0);
            result.r1 = (int) (accepted - counters.handled() - counters.undelivered());
            result.r2 = (int) (2 - accepted - counters.refused());
            result.r3 = hasEnded ? 1 : 0;
        }
    }

    /** The turn of an actor that is to stop closes its mailbox. */
    private abstract static class Turned extends Race {
        private final Turn turn;

        Turned(Handle<Object, Object> actor) {
            super(actor);
            var first = new StopNode(Reason.EXIT);
            actor.offer(first);
            turn = new Turn(actor, first);
        }

        final void close() {
            turn.run();
        }
    }

    /** By the turn, unbounded. */
    @JCStressTest
    @Description("a turn closes its mailbox || senders, unbounded")
    @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "one fate each, as its sender was told")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message without a fate, or with two, or no end")
    @State
    public static class ByTurn extends Turned {
        /** An actor with a turn that will end it. */
        public ByTurn() {
            super(Cells.unbounded());
        }

        /** Ends the actor, then comes late itself. */
        @Actor
        public void stopper() {
            close();
            sendOtherLate();
        }

        /** A sender. */
        @Actor
        public void sender() {
            sendOneLate();
        }

        /** What came of it. */
        @Arbiter
        public void fates(III_Result result) {
            end(result);
        }
    }

    /** By the turn, unbounded, with a chunk. */
    @JCStressTest
    @Description("a turn closes its mailbox || senders, unbounded, in a chunk")
    @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "one fate each, as its sender was told")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message without a fate, or with two, or no end")
    @State
    public static class ByTurnChunked extends Turned {
        /** An actor with a turn that will end it, and control nodes up to the first slot of a chunk. */
        public ByTurnChunked() {
            super(Cells.unbounded());
            for (int i = 1; i < 16; i++) {
                actor.offer(new StopNode(Reason.EXIT));
            }
        }

        /** Ends the actor, then comes late itself. */
        @Actor
        public void stopper() {
            close();
            sendOtherLate();
        }

        /** A sender. */
        @Actor
        public void sender() {
            sendOne();
        }

        /** What came of it. */
        @Arbiter
        public void fates(III_Result result) {
            end(result);
        }
    }

    /** By the turn, bounded. */
    @JCStressTest
    @Description("a turn closes its mailbox || senders, bounded")
    @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "one fate each, as its sender was told")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message without a fate, or with two, or no end")
    @State
    public static class ByTurnBounded extends Turned {
        /** An actor with a turn that will end it. */
        public ByTurnBounded() {
            super(Cells.bounded(4, OverflowPolicy.reject()));
        }

        /** Ends the actor, then comes late itself. */
        @Actor
        public void stopper() {
            close();
            sendOtherLate();
        }

        /** A sender. */
        @Actor
        public void sender() {
            sendOneLate();
        }

        /** What came of it. */
        @Arbiter
        public void fates(III_Result result) {
            end(result);
        }
    }

    /** The end by a stopper, which finds the actor idle or has to send a pill. */
    @JCStressTest
    @Description("a pill for an idle actor || senders")
    @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "one fate each, as its sender was told")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message without a fate, or with two, or no end")
    @State
    public static class ByStopper extends Race {
        /** An idle actor. */
        public ByStopper() {
            super(Cells.unbounded());
        }

        /** Ends the actor, then comes late itself. */
        @Actor
        public void stopper() {
            actor.sendPoisonPill();
            sendOtherLate();
        }

        /** A sender. */
        @Actor
        public void sender() {
            sendOne();
        }

        /** What came of it. */
        @Arbiter
        public void fates(III_Result result) {
            end(result);
        }
    }

    /** The actor has ended, and two senders have not noticed this. Each of them learns it from the mailbox. */
    @JCStressTest
    @Description("two late senders")
    @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "one fate each, as its sender was told")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message without a fate, or with two")
    @State
    public static class BothLate extends Race {
        /** An actor that has ended. */
        public BothLate() {
            super(Cells.unbounded());
            actor.sendPoisonPill();
        }

        /** One sender. */
        @Actor
        public void one() {
            sendOneLate();
        }

        /** The other sender. */
        @Actor
        public void other() {
            sendOtherLate();
        }

        /** What came of it. */
        @Arbiter
        public void fates(III_Result result) {
            end(result);
        }
    }
}
