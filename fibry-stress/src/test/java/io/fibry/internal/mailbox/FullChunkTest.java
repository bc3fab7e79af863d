package io.fibry.internal.mailbox;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Senders and a consumer whose mailbox has a chunk with one slot left. */
@Tag("thorough")
public class FullChunkTest extends ClosableMailbox {
    public FullChunkTest() {
        super(new Consumer(Cells.unbounded()).after(46));
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
