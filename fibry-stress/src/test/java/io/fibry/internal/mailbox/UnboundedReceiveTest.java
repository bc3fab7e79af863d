package io.fibry.internal.mailbox;

public class UnboundedReceiveTest extends ReceiveContract {
    public UnboundedReceiveTest() {
        super(Cells.unbounded());
    }
}
