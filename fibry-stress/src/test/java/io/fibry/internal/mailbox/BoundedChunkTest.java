package io.fibry.internal.mailbox;

import org.junit.jupiter.api.Test;

/** Senders and a consumer whose bounded mailbox has a chunk with room. */
public class BoundedChunkTest extends BoundedOperations {
    public BoundedChunkTest() {
        super(16);
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
