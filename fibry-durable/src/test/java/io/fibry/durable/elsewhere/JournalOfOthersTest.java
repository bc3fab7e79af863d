package io.fibry.durable.elsewhere;

import io.fibry.durable.Journal;
import io.fibry.durable.JournalContract;
import io.fibry.durable.JournalsForOthers;

/** The tests of journals run for one that somebody else has written, who is in another package. */
class JournalOfOthersTest extends JournalContract {
    private final Journal journal = JournalsForOthers.inMemory();

    @Override
    protected Journal open() {
        return journal;
    }

    @Override
    protected int mostOfStep(int rows) {
        return Integer.MAX_VALUE;
    }

    @Override
    protected boolean hasTransactions() {
        return false;
    }
}
