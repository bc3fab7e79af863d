package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import org.jetbrains.lincheck.datastructures.Operation;

/** Room for two in a mailbox that has a chunk; senders that drop the oldest take beside the consumer. */
abstract class BoundedChunkOperations {
    private final BoundedCell<Object, Object> mailbox = Cells.bounded(2, OverflowPolicy.dropOldest());
    private final Consumer consumer;

    BoundedChunkOperations(int messagesBefore) {
        consumer = new Consumer(mailbox).afterOneByOne(messagesBefore);
    }

    @Operation
    public String offer(int value) {
        return consumer.offer(value);
    }

    @Operation
    public Integer drop() {
        while (true) {
            var oldest = mailbox.poll(null);
            if (oldest != null) {
                return Consumer.value(oldest);
            }
            if (mailbox.mailboxSize() == 0) {
                return null;
            }
            Thread.onSpinWait(); // announced, and about to be linked or filled
        }
    }

    @Operation
    public int size() {
        return mailbox.mailboxSize();
    }

    @Operation(nonParallelGroup = "consumer")
    public Integer take() {
        return consumer.take();
    }
}
