package io.fibry.internal.keyed;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The homes of the slices of keyed actors that nodes share, for {@link SliceWork}. Objects are thread-safe. */
public interface SliceHomes {
    /**
     * Returns into how many slices the keys are divided. A key is of the slice {@code KeyHash.of(text) % slices()}.
     *
     * @return the number
     */
    int slices();

    /**
     * Sends a message with an id to the home of its key.
     *
     * @param id the id
     * @param message the message
     * @param limit how long the answer may take
     * @return completes when the message has been handled; fails if it was not, or if that is not known
     */
    CompletableFuture<?> ask(String id, Object message, Duration limit);

    /**
     * Asks actors of this node, if it is the home of a slice. The ask has its place before the actors of the slice end.
     *
     * @param slice number of the slice
     * @param ask sends to the actors of this node
     * @return the answer; fails if this node is not the home
     */
    CompletableFuture<?> askHere(int slice, Supplier<? extends CompletableFuture<?>> ask);
}
