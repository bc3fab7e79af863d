package io.fibry.internal.mailbox;

import org.junit.jupiter.api.Test;

/** Senders and a consumer whose mailbox has a chunk with room. */
public class ChunkTest extends ClosableMailbox {
    public ChunkTest() {
        super(new Consumer(Cells.unbounded()).after(16));
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
