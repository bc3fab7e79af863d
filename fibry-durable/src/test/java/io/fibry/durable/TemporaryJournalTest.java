package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.durable.Journal.Turn;
import io.fibry.testing.Promise;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store for tests, which several stores of a process share. */
class TemporaryJournalTest extends StoreContract {
    private SqliteJournal first;

    @BeforeEach
    void openFirst() throws Exception {
        first = SqliteJournal.temporary(Duration.ofSeconds(60));
    }

    @AfterEach
    void closeFirst() throws Exception {
        first.close();
    }

    @Override
    protected SqliteJournal open() {
        return first.another();
    }

    @Test
    void itsFolderIsThereUntilTheLastStoreIsClosed() throws Exception {
        var file = Path.of(
                first.reader.run(sql -> sql.connection.getMetaData().getURL()).replace("jdbc:sqlite:", ""));
        try (var other = open()) {
            other.commit(List.of(turn(ID, 1)));
        }
        assertThat(file).exists();
        try (var last = open()) {
            first.close();
            assertThat(last.revisions(List.of(ID))).containsEntry(ID, 1L);
            assertThat(file).exists();
        }
        assertThat(Files.exists(file.getParent())).isFalse();
        first = SqliteJournal.temporary(Duration.ofSeconds(60));
    }

    @Test
    @Promise("88.3")
    void oneStoreAtATimeWorksForAProjection() throws Exception {
        var taken = new ArrayList<String>();
        var groups = Set.of(ID.group());
        try (var other = open();
                var here = first.follow("sums", groups);
                var there = other.follow("sums", groups)) {
            first.commit(List.of(turn(ID, 1)));
            here.step(10, false, (connection, from, turns) -> {
                assertThat(follow(there, taken).waiting()).map(Turn::revision).contains(1L);
                assertThat(taken).isEmpty();
            });
            other.commit(List.of(turn(ID, 2)));
            follow(there, taken);
            assertThat(taken).containsExactly("4711 2");
        }
    }
}
