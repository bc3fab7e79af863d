package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.cluster.History.Note;
import io.fibry.cluster.History.Writer;
import org.junit.jupiter.api.Test;

/** The check of histories finds each fault that is planted. */
class HistoryTest {
    private final History history = new History();

    private void handle(Writer writer, Note... notes) throws Exception {
        try (var scope = ActorSystem.open("node")) {
            var actor = scope.anonymous().newActorWithReturn(writer);
            for (var note : notes) {
                actor.sendMessageReturn(note).get();
            }
        }
    }

    @Test
    void whatMayBe() throws Exception {
        var first = history.writer("a", 1);
        handle(first, new Note("x", 1, 1), new Note("y", 1, 1), new Note("x", 1, 3));
        first.close();
        handle(history.writer("b", 1), new Note("x", 1, 4));
        handle(history.writer("b", 2), new Note("x", 2, 2));
        assertThatCode(history::check).doesNotThrowAnyException();
    }

    @Test
    void twoActorsOfAKey() {
        history.writer("a", 1);
        history.writer("b", 1);
        assertThatThrownBy(history::check).hasMessageContaining("two actors of key 1");
    }

    @Test
    void aMessageOfAnotherKey() throws Exception {
        handle(history.writer("a", 1), new Note("x", 2, 1));
        assertThatThrownBy(history::check).hasMessageContaining("came to the actor of key 1");
    }

    @Test
    void aMessageThatIsOvertaken() throws Exception {
        handle(history.writer("a", 1), new Note("x", 1, 2), new Note("x", 1, 1));
        assertThatThrownBy(history::check).hasMessageContaining("number=1] came after number 2");
    }

    @Test
    void aMessageThatIsHandledTwice() throws Exception {
        handle(history.writer("a", 1), new Note("x", 1, 1), new Note("x", 1, 1));
        assertThatThrownBy(history::check).hasMessageContaining("number=1] came after number 1");
    }
}
