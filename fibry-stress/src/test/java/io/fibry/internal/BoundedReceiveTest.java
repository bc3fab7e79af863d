package io.fibry.internal;

import io.fibry.OverflowPolicy;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** The same as {@link UnboundedReceiveTest} for a bounded mailbox. */
public class BoundedReceiveTest {
    private final Consumer consumer = new Consumer(Cells.bounded(100, OverflowPolicy.reject()));

    @Operation
    public void offer(int value) {
        consumer.offer(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public Integer receive() {
        return consumer.receive();
    }

    @Test
    void losesAndDoublesNothingInEveryInterleaving() {
        Quick.modelLonger(getClass(), UnboundedReceiveTest.Specification.class, 2);
    }

    @Test
    void losesAndDoublesNothingUnderStress() {
        Quick.stress(getClass(), UnboundedReceiveTest.Specification.class, 3);
    }
}
