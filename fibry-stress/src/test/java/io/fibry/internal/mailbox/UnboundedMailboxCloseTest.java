package io.fibry.internal.mailbox;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two senders, a consumer that closes. */
@Tag("thorough")
public class UnboundedMailboxCloseTest extends ClosableMailbox {
    public UnboundedMailboxCloseTest() {
        super(new Consumer(Cells.unbounded()));
    }

    @Test
    void closingTakesAllThatWaitsInEveryInterleaving() {
        Quick.model(getClass(), SequentialMailbox.class, 3);
    }

    @Test
    void closingTakesAllThatWaitsUnderStress() {
        Quick.stress(getClass(), SequentialMailbox.class, 3);
    }
}
