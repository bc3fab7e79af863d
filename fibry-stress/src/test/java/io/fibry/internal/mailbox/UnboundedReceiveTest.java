package io.fibry.internal.mailbox;

import org.junit.jupiter.api.Tag;

@Tag("thorough")
public class UnboundedReceiveTest extends ReceiveContract {
    public UnboundedReceiveTest() {
        super(Cells.unbounded());
    }
}
