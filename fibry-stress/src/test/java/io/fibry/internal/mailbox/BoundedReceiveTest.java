package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;

public class BoundedReceiveTest extends ReceiveContract {
    public BoundedReceiveTest() {
        super(Cells.bounded(100, OverflowPolicy.reject()));
    }
}
