package io.fibry.durable;

import io.fibry.durable.Journal.Turn;
import java.util.List;

/**
 * How many bytes turns have. The turns of a transaction are all in memory at once, and more than once, and those of other actors wait meanwhile. So
 * a transaction has a limit, and so has the turn that is larger than a transaction and is one by itself.
 */
final class TurnSize {
    /** What one turn may have. */
    static final int MOST = 16 << 20;
    /** What the turns of one transaction may have together. */
    static final int MOST_OF_TRANSACTION = 4 << 20;

    private TurnSize() {
    }

    /** Returns the bytes of a turn, without names and times. */
    static long of(Turn turn) {
        return parts(turn).stream().mapToLong(Part::bytes).sum();
    }

    /** Fails if a turn has more than it may have. */
    static Turn checked(Turn turn) {
        long size = of(turn);
        // mutant: turn-of-any-size-is-written
        if (size > MOST) {
            var largest = parts(turn).stream().reduce((a, b) -> b.bytes > a.bytes ? b : a).orElseThrow();
            throw new IllegalStateException(
                    "a turn of %s %s has %,d bytes, of which %,d are %s; it may have %,d, and nothing of it was written: %s"
                            .formatted(turn.id().group(), turn.id().key(), size, largest.bytes, largest.name,
                                    MOST, largest.remedy));
        }
        return turn;
    }

    private static List<Part> parts(Turn turn) {
        return List.of(
                new Part("events", turn.events().length,
                        "persist less in one turn, or keep large things elsewhere and their names in the events"),
                new Part("the answer, which is kept since the message has an id", turn.answer().length,
                        "answer with less, or with the name of what is kept elsewhere"),
                new Part("messages to others", turn.outbox().length,
                        "send less in one turn, or keep large things elsewhere and send their names"),
                new Part("reminders",
                        turn.reminders().stream().mapToLong(reminder -> reminder.message().length).sum(),
                        "give reminders smaller messages"),
                new Part("the state, of which it writes a snapshot",
                        turn.snapshot().map(snapshot -> snapshot.state().length).orElse(0),
                        "divide the state among more keys, or keep large things elsewhere"),
                new Part("the answers to messages with an id", turn.snapshot()
                        .map(snapshot -> snapshot.ids().length).orElse(0),
                        "keep ids for a shorter time (Durable.ids), or answer with less"));
    }

    private record Part(String name, long bytes, String remedy) {
    }
}
