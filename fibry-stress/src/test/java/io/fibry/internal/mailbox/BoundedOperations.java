package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import org.jetbrains.lincheck.datastructures.Operation;

/** Room for two; senders that drop the oldest take beside the consumer. The depth is exact at all times. */
abstract class BoundedOperations {
    static final int CAPACITY = 2;

    private final BoundedCell<Object, Object> mailbox = Cells.bounded(CAPACITY, OverflowPolicy.dropOldest());
    private final Consumer consumer;

    /** An idle mailbox. */
    BoundedOperations() {
        consumer = new Consumer(mailbox);
    }

    /** A mailbox whose turn has handled so many messages. */
    BoundedOperations(int messagesBefore) {
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
