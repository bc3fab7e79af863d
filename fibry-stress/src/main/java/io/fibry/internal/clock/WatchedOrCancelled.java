package io.fibry.internal.clock;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The timer thread is about to sleep for a limit that a thread cancels: it does not sleep, or is woken. */
@JCStressTest
@Description("the timer thread watches a limit || a thread cancels it")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "cancelled before, and seen")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "both see the other")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "sleeps, and is woken")
@Outcome(expect = Expect.FORBIDDEN, desc = "sleeps, and is not woken")
@State
public class WatchedOrCancelled {
    private final Limit limit = new Limit(new Limited() {
        @Override
        public long due() {
            return 0;
        }

        @Override
        public void expire() {
            throw new AssertionError("it is cancelled");
        }
    });

    /** Watches. */
    @Actor
    public void timerThread(ZZ_Result result) {
        result.r1 = limit.watch();
    }

    /** Cancels. */
    @Actor
    public void canceller(ZZ_Result result) {
        result.r2 = limit.take() != null && limit.isWatched();
    }
}
