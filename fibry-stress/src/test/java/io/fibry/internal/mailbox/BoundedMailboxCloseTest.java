package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many senders, a consumer that closes. */
@Tag("thorough")
public class BoundedMailboxCloseTest extends ClosableMailbox {
    public BoundedMailboxCloseTest() {
        super(new Consumer(Cells.bounded(2, OverflowPolicy.reject())));
    }

    @Test
    void closingTakesAllThatWaitsInEveryInterleaving() {
        Quick.model(getClass(), BoundedMailboxTest.Specification.class, 3);
    }

    @Test
    void closingTakesAllThatWaitsUnderStress() {
        Quick.stress(getClass(), BoundedMailboxTest.Specification.class, 3);
    }
}
