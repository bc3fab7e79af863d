package io.fibry.durable;

import io.fibry.durable.Journal.Turn;
import java.util.List;
import java.util.Locale;

/**
 * How many bytes turns have. All turns of a transaction are in memory at once, in more than one copy, and the turns
 * of other actors wait meanwhile. So a transaction has a limit. A turn that is larger than this limit has a
 * transaction of its own, and a higher limit.
 */
final class TurnSize {
    /** How many bytes one turn may have. */
    static final int MOST = 16 << 20;
    /** How many bytes the turns of one transaction may have together. */
    static final int MOST_OF_TRANSACTION = 4 << 20;

    private TurnSize() {
    }

    /** Returns the bytes of a turn, without names and times. */
    static long of(Turn turn) {
        return parts(turn).stream().mapToLong(Part::bytes).sum();
    }

    /** Returns the turn, and fails if it has more than {@link #MOST} bytes. */
    static Turn checked(Turn turn) {
        long size = of(turn);
        // mutant: turn-of-any-size-is-written
        if (size > MOST) {
            var largest = parts(turn).stream().reduce((a, b) -> b.bytes > a.bytes ? b : a).orElseThrow();
            throw new IllegalStateException(String.format(Locale.ROOT,
                    "a turn of %s %s has %,d bytes, of which %,d are %s; it may have %,d, and nothing of it was written: %s",
                    turn.id().group(), turn.id().key(), size, largest.bytes, largest.name, MOST,
                    largest.remedy));
        }
        return turn;
    }

    /** Returns how many of some rows, of so many bytes, are a page: {@link Journal#MOST_OF_PAGE}. */
    static int rowsOfPage(List<Long> bytes) {
        int rows = 0;
        for (long all = 0; rows < bytes.size() && all < Journal.MOST_OF_PAGE; rows++) {
            all += bytes.get(rows);
        }
        return rows;
    }

    private static List<Part> parts(Turn turn) {
        return List.of(
                new Part("events", turn.events().length,
                        "persist less in one turn, or keep large things elsewhere and their names in the events"),
                new Part("the answer, which is kept because the message has an id",
                        turn.handled().stream().mapToLong(message -> message.answer().length).sum(),
                        "answer with less, or with the name of what is kept elsewhere"),
                new Part("messages to others", turn.outbox().length,
                        "send less in one turn, or keep large things elsewhere and send their names"),
                new Part("reminders",
                        turn.reminders().stream().mapToLong(reminder -> reminder.message().length).sum(),
                        "give reminders smaller messages"),
                new Part("the state, of which it writes a snapshot",
                        turn.snapshot().map(snapshot -> snapshot.state().length).orElse(0),
                        "divide the state among more keys, or keep large things elsewhere"));
    }

    private record Part(String name, long bytes, String remedy) {
    }
}
