package io.fibry.internal.mailbox;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Senders and a consumer whose bounded mailbox becomes idle and busy. */
@Tag("thorough")
public class BoundedMailboxTest extends BoundedOperations {
    /** The same for one thread. */
    public static class Specification extends SequentialMailbox {
        public Specification() {
            super(CAPACITY);
        }
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
