package io.fibry.work;

import io.fibry.ActorBuilder;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Options of {@link Receipts}. Objects are immutable.
 *
 * @param keptFor how long a receipt is kept after the end of its work
 * @param most how many receipts there are at a time, of work that runs and of work that has ended
 * @param notes how many notes a receipt keeps
 * @param ids makes the ids; thread-safe
 * @param actors changes the builder of the actors in which the work runs
 * @param listener hears of each change of a receipt
 */
public record ReceiptOptions(Duration keptFor, int most, int notes, Supplier<String> ids,
        UnaryOperator<ActorBuilder> actors, Consumer<? super WorkEvent> listener) {
    /**
     * Checks the numbers.
     *
     * @param keptFor more than zero
     * @param most at least one
     * @param notes zero or more
     * @param ids not null
     * @param actors not null
     * @param listener not null
     */
    public ReceiptOptions {
        if (Objects.requireNonNull(keptFor, "keptFor").isNegative() || keptFor.isZero()) {
            throw new IllegalArgumentException("keptFor must be more than zero: " + keptFor);
        }
        if (most < 1) {
            throw new IllegalArgumentException("most must be at least 1: " + most);
        }
        if (notes < 0) {
            throw new IllegalArgumentException("notes must not be negative: " + notes);
        }
        Objects.requireNonNull(ids, "ids");
        Objects.requireNonNull(actors, "actors");
        Objects.requireNonNull(listener, "listener");
    }

    /**
     * Returns options with random ids and up to 100 notes in a receipt.
     *
     * @param keptFor how long a receipt is kept after the end of its work
     * @param most how many receipts there are at a time
     * @return the options
     */
    public static ReceiptOptions of(Duration keptFor, int most) {
        return new ReceiptOptions(keptFor, most, 100, () -> UUID.randomUUID().toString(),
                UnaryOperator.identity(),
                event -> {
                });
    }

    /**
     * Returns the same options with another number of notes.
     *
     * @param number how many notes a receipt keeps, zero or more
     * @return the new options
     */
    public ReceiptOptions withNotes(int number) {
        return new ReceiptOptions(keptFor, most, number, ids, actors, listener);
    }

    /**
     * Returns the same options with other ids.
     *
     * @param maker makes the ids, each of which is new; thread-safe
     * @return the new options
     */
    public ReceiptOptions withIds(Supplier<String> maker) {
        return new ReceiptOptions(keptFor, most, notes, maker, actors, listener);
    }

    /**
     * Returns the same options with another change of the builder of the actors in which the work runs.
     *
     * @param change takes the builder and returns another one
     * @return the new options
     */
    public ReceiptOptions withActors(UnaryOperator<ActorBuilder> change) {
        return new ReceiptOptions(keptFor, most, notes, ids, change, listener);
    }

    /**
     * Returns the same options with another listener.
     *
     * @param hears the listener
     * @return the new options
     */
    public ReceiptOptions withListener(Consumer<? super WorkEvent> hears) {
        return new ReceiptOptions(keptFor, most, notes, ids, actors, hears);
    }
}
