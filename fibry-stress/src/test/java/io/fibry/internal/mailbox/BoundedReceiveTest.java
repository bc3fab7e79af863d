package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import org.junit.jupiter.api.Tag;

@Tag("thorough")
public class BoundedReceiveTest extends ReceiveContract {
    public BoundedReceiveTest() {
        super(Cells.bounded(100, OverflowPolicy.reject()));
    }
}
