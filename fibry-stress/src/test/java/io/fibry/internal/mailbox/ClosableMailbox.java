package io.fibry.internal.mailbox;

import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;

/** What senders and the consumer of a mailbox do, who may close it. */
public abstract class ClosableMailbox {
    private final Consumer consumer;

    ClosableMailbox(Consumer consumer) {
        this.consumer = consumer;
    }

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
}
