package io.fibry.internal;

public class UnboundedReceiveTest extends ReceiveContract {
    public UnboundedReceiveTest() {
        super(Cells.unbounded());
    }
}
