package io.fibry.durable;

/** Makes a journal for a test in another package. */
public final class JournalsForOthers {
    private JournalsForOthers() {
    }

    /**
     * Makes a journal in memory.
     *
     * @return the journal
     */
    public static Journal inMemory() {
        return new MemoryJournal();
    }
}
