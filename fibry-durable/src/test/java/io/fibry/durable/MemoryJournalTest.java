package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The store in memory. */
class MemoryJournalTest extends StoreContract {
    private final MemoryJournal journal = new MemoryJournal();

    @Override
    protected Journal open() {
        return journal;
    }

    @Override
    protected int mostOfStep(int rows) {
        return Integer.MAX_VALUE;
    }

    @Test
    void ofTurnsThatAreDeletedNothingIsKept() throws Exception {
        for (int i = 1; i <= 100; i++) {
            journal.commit(List.of(withSnapshot(ID, i)));
        }
        compact(journal);
        journal.commit(List.of(turn(ID, 101)));
        assertThat(journal.order).hasSize(1);
        assertThat(erase(journal, new Turn(ID, 102, NOW, NONE, List.of(), NONE, List.of(), Set.of(),
                Optional.of(new Snapshot(102, NONE)), true))).isTrue();
        assertThat(journal.order).hasSize(1);
    }
}
