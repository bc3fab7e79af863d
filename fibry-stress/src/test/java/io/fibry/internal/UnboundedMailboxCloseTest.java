package io.fibry.internal;

import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * One sender, a consumer that closes. With more senders a late one may be told QUEUED and be reported by
 * another late one, which is no queue any more; {@code CloseOrSend} adds that up.
 */
public class UnboundedMailboxCloseTest {
    private final Consumer consumer = new Consumer(Cells.unbounded());

    @Operation(nonParallelGroup = "sender")
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
        Quick.model(getClass(), SequentialMailbox.class, 2);
    }

    @Test
    void closingTakesAllThatWaitsUnderStress() {
        Quick.stress(getClass(), SequentialMailbox.class, 2);
    }
}
