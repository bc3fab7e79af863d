package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.testing.Promise;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is too large, and what the exception says about it. */
class TurnSizeTest {
    private static final Id ID = new Id("texts", "a");
    private static final byte[] NONE = {};
    private static final byte[] SMALL = new byte[10];
    private static final byte[] LARGE = new byte[TurnSize.MOST];

    private final Locale before = Locale.getDefault(Locale.Category.FORMAT);

    @AfterEach
    void restore() {
        Locale.setDefault(Locale.Category.FORMAT, before);
    }

    private static Turn turn(byte[] events, byte[] answer, byte[] outbox, byte[] reminded) {
        return new Turn(ID, 1, Instant.EPOCH, events,
                List.of(new Handled(new UUID(1, 2), Instant.EPOCH, Optional.empty(), answer)), outbox,
                List.of(new Reminder(ID, "later", Instant.EPOCH, "", reminded)), Set.of(),
                Optional.empty(), false);
    }

    private static Turn turn(byte[] state) {
        return turn(SMALL, SMALL, SMALL, SMALL).with(new Snapshot(1, state));
    }

    private static void assertRefused(Turn turn, String part, String remedy) {
        assertThatThrownBy(() -> TurnSize.checked(turn))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("a turn of texts a has 16,777,2")
                .hasMessageContaining("of which 16,777,216 are " + part)
                .hasMessageContaining("may have 16,777,216, and nothing of it was written")
                .hasMessageEndingWith(remedy);
    }

    @Test
    @Promise("63.8")
    void theLargestPartIsNamedWithItsRemedyInEachLocale() {
        Locale.setDefault(Locale.Category.FORMAT, Locale.GERMANY);
        assertRefused(turn(LARGE, SMALL, SMALL, SMALL), "events", "their names in the events");
        assertRefused(turn(SMALL, LARGE, SMALL, SMALL),
                "the answer, which is kept because the message has an id",
                "the name of what is kept elsewhere");
        assertRefused(turn(SMALL, SMALL, LARGE, SMALL), "messages to others", "send their names");
        assertRefused(turn(SMALL, SMALL, SMALL, LARGE), "reminders", "smaller messages");
        assertRefused(turn(LARGE), "the state, of which it writes a snapshot",
                "keep large things elsewhere");
    }

    @Test
    @Promise("63.8")
    void aTurnMayHaveAsManyBytesAsTheLimitAndNotOneMore() {
        var largest = turn(LARGE, NONE, NONE, NONE);
        assertThat(TurnSize.checked(largest)).isSameAs(largest);
        assertRefused(turn(LARGE, new byte[1], NONE, NONE), "events", "their names in the events");
    }
}
