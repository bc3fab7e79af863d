package io.fibry.internal.run;

import io.fibry.internal.mailbox.Quick;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A backlog that is nearly full at first, so that it has to grow. */
@Tag("thorough")
public class BacklogTest extends BacklogOperations {
    private static final int AT_FIRST = 31;

    /** With those in it. */
    public BacklogTest() {
        super(AT_FIRST);
    }

    /** The same for one thread. */
    public static class Specification extends Sequential {
        /** With those in it. */
        public Specification() {
            super(AT_FIRST);
        }
    }

    @Test
    void givesEachTurnOnceInEveryInterleaving() {
        Quick.modelLonger(getClass(), Specification.class, 3);
    }

    @Test
    void givesEachTurnOnceUnderStress() {
        Quick.stress(getClass(), Specification.class, 3);
    }
}
