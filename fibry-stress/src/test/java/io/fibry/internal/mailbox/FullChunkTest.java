package io.fibry.internal.mailbox;

import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Senders and a consumer whose mailbox has a chunk with one slot left. */
public class FullChunkTest {
    private final Consumer consumer = new Consumer(Cells.unbounded()).after(46);

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
    void isAQueueInEveryInterleaving() {
        Quick.model(getClass(), SequentialMailbox.Busy.class, 3);
    }

    @Test
    void isAQueueUnderStress() {
        Quick.stress(getClass(), SequentialMailbox.Busy.class, 3);
    }
}
