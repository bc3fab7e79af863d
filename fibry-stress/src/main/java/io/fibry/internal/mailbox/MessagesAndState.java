package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.handle.Handle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two threads send, and either's thread may run the turn: plain fields of the messages and of the actor are
 * all the handler needs.
 */
public class MessagesAndState {
    private MessagesAndState() {
    }

    /** A message as a user writes one. */
    public static final class Filled {
        private int first;
        private int second;

        public static Filled with(int value) {
            var made = new Filled();
            made.first = value;
            made.second = value;
            return made;
        }

        public int sum() {
            return first + second;
        }
    }

    /** A sender sends two messages; the second often finds the actor about to become idle. */
    private abstract static class Race {
        private int handled;
        private int sum;
        private int torn;
        private boolean inside;
        private Handle<Object, Object> actor;

        final void runs(Handle<Object, Object> made) {
            actor = made;
        }

        final Object handle(Turn turn, Object message) {
            var filled = (Filled) message;
            if (inside || filled.first != filled.second) {
                torn++;
            }
            inside = true;
            handled++;
            sum += filled.first;
            inside = false;
            return message;
        }

        final void doOne() {
            actor.sendMessage(Filled.with(1));
            actor.sendMessage(Filled.with(10));
        }

        final void doOther() {
            actor.sendMessage(Filled.with(100));
            actor.sendMessage(Filled.with(1000));
        }

        final void doEnd(III_Result result) {
            result.r1 = handled;
            result.r2 = sum;
            result.r3 = torn;
        }
    }

    /** An unbounded mailbox. */
    @JCStressTest
    @Description("messages and state, handed from thread to thread, unbounded")
    @Outcome(id = "4, 1111, 0", expect = Expect.ACCEPTABLE, desc = "each message once, whole, one at a time")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, twice, half seen, or two handlers at once")
    @State
    public static class Unbounded extends Race {
        /** An idle actor. */
        public Unbounded() {
            runs(Cells.unbounded(this::handle));
        }

        /** One sender. */
        @Actor
        public void one() {
            doOne();
        }

        /** The other sender. */
        @Actor
        public void other() {
            doOther();
        }

        /** What came of it. */
        @Arbiter
        public void end(III_Result result) {
            doEnd(result);
        }
    }

    /** A bounded mailbox. */
    @JCStressTest
    @Description("messages and state, handed from thread to thread, bounded")
    @Outcome(id = "4, 1111, 0", expect = Expect.ACCEPTABLE, desc = "each message once, whole, one at a time")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, twice, half seen, or two handlers at once")
    @State
    public static class Bounded extends Race {
        /** An idle actor with room for all. */
        public Bounded() {
            runs(Cells.bounded(4, OverflowPolicy.reject(), this::handle));
        }

        /** One sender. */
        @Actor
        public void one() {
            doOne();
        }

        /** The other sender. */
        @Actor
        public void other() {
            doOther();
        }

        /** What came of it. */
        @Arbiter
        public void end(III_Result result) {
            doEnd(result);
        }
    }
}
