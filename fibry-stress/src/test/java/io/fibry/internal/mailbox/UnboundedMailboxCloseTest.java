package io.fibry.internal.mailbox;

import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Two senders, a consumer that closes. */
public class UnboundedMailboxCloseTest {
    private final Consumer consumer = new Consumer(Cells.unbounded());

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
        Quick.model(getClass(), SequentialMailbox.class, 3);
    }

    @Test
    void closingTakesAllThatWaitsUnderStress() {
        Quick.stress(getClass(), SequentialMailbox.class, 3);
    }
}
