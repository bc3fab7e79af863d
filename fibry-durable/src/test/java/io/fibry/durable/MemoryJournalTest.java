package io.fibry.durable;

/** The store in memory. */
class MemoryJournalTest extends JournalContract {
    @Override
    Journal open() {
        return new MemoryJournal();
    }
}
