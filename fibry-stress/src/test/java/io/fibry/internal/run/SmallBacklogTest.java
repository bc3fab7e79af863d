package io.fibry.internal.run;

import io.fibry.internal.mailbox.Quick;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A backlog with few in it, so that its lane and others meet. */
@Tag("thorough")
public class SmallBacklogTest extends BacklogOperations {
    private static final int AT_FIRST = 2;

    /** With those in it. */
    public SmallBacklogTest() {
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
