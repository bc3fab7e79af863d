package io.fibry.internal.mailbox;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Senders and a consumer whose bounded mailbox has a chunk with one slot left. */
@Tag("thorough")
public class FullBoundedChunkTest extends BoundedOperations {
    public FullBoundedChunkTest() {
        super(46);
    }

    @Test
    void isABoundedQueueInEveryInterleaving() {
        Quick.model(getClass(), SequentialMailbox.BusyWithRoomForTwo.class, 3);
    }

    @Test
    void isABoundedQueueUnderStress() {
        Quick.stress(getClass(), SequentialMailbox.BusyWithRoomForTwo.class, 3);
    }
}
