package io.fibry.durable;

/** The store in memory. */
class MemoryJournalTest extends JournalContract {
    private final Journal journal = new MemoryJournal();

    @Override
    Journal open() {
        return journal;
    }
}
