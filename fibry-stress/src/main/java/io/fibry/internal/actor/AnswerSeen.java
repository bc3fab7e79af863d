package io.fibry.internal.actor;

import io.fibry.internal.handle.Handle;
import io.fibry.internal.mailbox.Cells;
import io.fibry.internal.mailbox.MessagesAndState.Filled;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A thread that gets the answer sees what the handler has done: the fields of the result, other fields, and the
 * counters.
 */
@JCStressTest
@Description("a handler answers || somebody looks for the answer")
@Outcome(id = "-1, -1, -1", expect = Expect.ACCEPTABLE, desc = "no answer yet")
@Outcome(id = "7, 1, 1", expect = Expect.ACCEPTABLE, desc = "the answer, with all that came before")
@Outcome(expect = Expect.FORBIDDEN, desc = "an answer that was made visible too soon")
@State
public class AnswerSeen {
    private final Cell actor = Cells.unbounded((turn, message) -> handle());
    private final Answer<Object> answer = new Answer<>(actor);
    private int aside;

    private Object handle() {
        aside = 1;
        return Filled.with(7);
    }

    /** Sends the ask, and runs it. */
    @Actor
    public void handler() {
        actor.send(AskNode.to(actor.spec(), "ask", answer), Long.MAX_VALUE);
    }

    /** Looks once. */
    @Actor
    public void asker(III_Result result) {
        var seen = (Filled) answer.getNow(null);
        result.r1 = seen == null ? -1 : seen.sum() / 2;
        result.r2 = seen == null ? -1 : aside;
        result.r3 = seen == null ? -1 : (int) ((Handle<?, ?>) actor).counters().handled();
    }
}
