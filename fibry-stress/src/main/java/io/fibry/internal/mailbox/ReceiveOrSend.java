package io.fibry.internal.mailbox;

import io.fibry.internal.actor.Turn;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.receive.Receiving;
import java.time.Duration;
import java.util.function.Predicate;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A handler waits in the middle for another message, which another thread sends. */
public class ReceiveOrSend {
    private static final Predicate<Object> ANY = message -> true;

    private ReceiveOrSend() {
    }

    private abstract static class Race {
        private final Handle<Object, Object> actor =
                Cells.receiving((turn, message) -> handle(turn, message));
        private int seen;
        private boolean waited;

        abstract Object receive(Receiving<Object> context) throws InterruptedException;

        private Object handle(Turn turn, Object message) throws InterruptedException {
            seen += (Integer) message;
            var context = Receiving.inside(turn);
            if (!waited) {
                waited = true;
                seen += (Integer) receive(context);
            }
            context.inbox().end(turn, java.util.Optional.empty());
            return message;
        }

        final void doOne() {
            actor.sendMessage(1);
        }

        final void doOther() {
            actor.sendMessage(10);
        }

        final void doEnd(II_Result result) {
            result.r1 = seen;
            result.r2 = actor.isIdle() ? (int) actor.counters().handled() : -1;
        }
    }

    /** With a time limit that is over at once: the turn takes its mailbox back, unless a sender was faster. */
    @JCStressTest
    @Description("a receive gives up || a sender hands over")
    @Outcome(id = "11, 2", expect = Expect.ACCEPTABLE, desc = "each message once: received, or handled after")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a hand-over was lost, or came twice")
    @State
    public static class GivesUp extends Race {
        @Override
        Object receive(Receiving<Object> context) throws InterruptedException {
            return context.receive(ANY, Duration.ZERO).orElse(0);
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
        public void end(II_Result result) {
            doEnd(result);
        }
    }

    /** For as long as it takes; the limit only turns a hang into a result. */
    @JCStressTest
    @Description("a receive waits || a sender hands over")
    @Outcome(id = "11, 2", expect = Expect.ACCEPTABLE, desc = "the second message was received")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the receiver was not woken")
    @State
    public static class Waits extends Race {
        private static final Duration LIMIT = Duration.ofSeconds(2);

        @Override
        Object receive(Receiving<Object> context) throws InterruptedException {
            return context.receive(ANY, LIMIT).orElse(1000);
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
        public void end(II_Result result) {
            doEnd(result);
        }
    }
}
