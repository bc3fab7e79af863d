package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Room for two; senders that drop the oldest take beside the consumer. The depth is exact at all times. */
public class BoundedMailboxTest {
    private static final int CAPACITY = 2;

    private final BoundedCell<Object, Object> mailbox = Cells.bounded(CAPACITY, OverflowPolicy.dropOldest());
    private final Consumer consumer = new Consumer(mailbox);

    /** The same for one thread. */
    public static class Specification extends SequentialMailbox {
        public Specification() {
            super(CAPACITY);
        }
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
            Thread.onSpinWait(); // announced, and about to be linked
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

    @Test
    void isABoundedQueueInEveryInterleaving() {
        Quick.model(getClass(), Specification.class, 3);
    }

    @Test
    void isABoundedQueueUnderStress() {
        Quick.stress(getClass(), Specification.class, 3);
    }
}
