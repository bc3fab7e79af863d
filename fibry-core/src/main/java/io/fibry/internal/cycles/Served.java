package io.fibry.internal.cycles;

import io.fibry.internal.actor.Cell;
import java.util.List;
import java.util.Optional;

/** An actor that handles no message itself: others take its messages. */
public interface Served {
    /**
     * Returns all actors that can take a message, now or later. The result is empty if that is not known, for instance since
     * one more may be made. Called by any thread.
     */
    Optional<List<Cell>> servers();
}
