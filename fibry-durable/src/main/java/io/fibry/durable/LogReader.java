package io.fibry.durable;

import io.fibry.codec.Codec;
import io.fibry.durable.Durable.Spec;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Turn;
import java.util.List;
import java.util.function.Supplier;

/**
 * Makes states from logs. If something cannot be read, the exception has the key and the revision, and nothing is passed over.
 * Thread-safe.
 */
final class LogReader<S, E> {
    private final Spec<S, E> spec;
    private final Codec codec;

    LogReader(Spec<S, E> spec, Codec codec) {
        this.spec = spec;
        this.codec = codec;
    }

    Newest<S> newest(Id id, Loaded loaded) {
        S state = spec.first();
        long at = 0;
        if (loaded.snapshot().isPresent()) {
            var snapshot = loaded.snapshot().get();
            at = snapshot.revision();
            state = read(id, at, () -> snapshot.state().length == 0
                    ? spec.first()
                    : codec.decode(Frames.unsealed(snapshot.state()), spec.states()));
        }
        for (var turn : loaded.turns()) {
            if (turn.revision() != at + 1) {
                throw new IllegalStateException("the log of " + id.group() + " " + id.key() + " has revision "
                        + turn.revision() + " after " + at + ": something else has changed the store");
            }
            at = turn.revision();
            S before = state;
            state = read(id, at, () -> apply(before, turn));
        }
        return new Newest<>(state, at, loaded.turns().size());
    }

    private S apply(S before, Turn turn) {
        S next = before;
        for (var event : Frames.events(turn.events())) {
            next = spec.apply().apply(next, codec.decode(event, spec.events()));
        }
        return next;
    }

    static <E> List<E> events(Turn turn, Codec codec, Class<E> type) {
        return read(turn.id(), turn.revision(),
                () -> Frames.events(turn.events()).stream().map(event -> codec.decode(event, type)).toList());
    }

    private static <T> T read(Id id, long at, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "the state of " + id.group() + " " + id.key() + " cannot be read at revision "
                            + at + "; nothing is passed over: " + e.getMessage(),
                    e);
        }
    }

    /**
     * The newest state of a key.
     *
     * @param sinceSnapshot the number of turns after the snapshot
     */
    record Newest<S>(S state, long revision, int sinceSnapshot) {
    }
}
