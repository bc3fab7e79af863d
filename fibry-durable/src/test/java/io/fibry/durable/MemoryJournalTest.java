package io.fibry.durable;

/** The store in memory. */
class MemoryJournalTest extends StoreContract {
    private final Journal journal = new MemoryJournal();

    @Override
    protected Journal open() {
        return journal;
    }

    @Override
    protected int mostOfStep(int rows) {
        return Integer.MAX_VALUE;
    }
}
