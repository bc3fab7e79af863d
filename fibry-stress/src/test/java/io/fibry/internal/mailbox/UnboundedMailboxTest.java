package io.fibry.internal.mailbox;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Many senders, one consumer that goes idle and begins anew. */
public class UnboundedMailboxTest {
    private final Consumer consumer = new Consumer(Cells.unbounded());

    @Operation
    public String offer(int value) {
        return consumer.offer(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public Integer take() {
        return consumer.take();
    }

    @Test
    void isAQueueInEveryInterleaving() {
        Quick.model(getClass(), SequentialMailbox.class, 3);
    }

    @Test
    void isAQueueUnderStress() {
        Quick.stress(getClass(), SequentialMailbox.class, 3);
    }
}
