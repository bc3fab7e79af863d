package io.fibry.stress;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Placeholder: shows that the jcstress build works. */
@JCStressTest
@State
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "both counted")
public class SampleJcstress {
    private final AtomicInteger count = new AtomicInteger();

    @Actor
    public void first() {
        count.incrementAndGet();
    }

    @Actor
    public void second() {
        count.incrementAndGet();
    }

    @Arbiter
    public void end(I_Result result) {
        result.r1 = count.get();
    }
}
