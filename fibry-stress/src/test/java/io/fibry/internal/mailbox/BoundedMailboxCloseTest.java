package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Many senders, a consumer that closes. */
public class BoundedMailboxCloseTest {
    private final BoundedCell<Object, Object> mailbox = Cells.bounded(2, OverflowPolicy.reject());
    private final Consumer consumer = new Consumer(mailbox);

    @Operation
    public String offer(int value) {
        return consumer.offer(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public Integer take() {
        return consumer.take();
    }

    @Operation(nonParallelGroup = "consumer", runOnce = true)
    public List<Integer> close() {
        return consumer.close();
    }

    @Test
    void closingTakesAllThatWaitsInEveryInterleaving() {
        Quick.model(getClass(), BoundedMailboxTest.Specification.class, 3);
    }

    @Test
    void closingTakesAllThatWaitsUnderStress() {
        Quick.stress(getClass(), BoundedMailboxTest.Specification.class, 3);
    }
}
