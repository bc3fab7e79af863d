package io.fibry.internal.limit;

import io.fibry.internal.run.Quota;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The places that one message has taken. It travels with the message, and gives them back once, whoever says so first:
 * the turn that handles the message, whoever finds that it is lost, or a canceller.
 */
public final class Permit {
    private final AtomicReference<@Nullable List<Quota>> waiting;
    private final AtomicReference<@Nullable List<Quota>> others;

    /** For places that are taken as long as the message waits, and others that are taken until all is done. */
    public Permit(List<Quota> waiting, List<Quota> others) {
        this.waiting = new AtomicReference<>(waiting);
        this.others = new AtomicReference<>(others);
    }

    /** The message does not wait any more. */
    public void begin() {
        giveBack(waiting);
    }

    /** All is done. */
    public void giveBack() {
        giveBack(waiting);
        giveBack(others);
    }

    private static void giveBack(AtomicReference<@Nullable List<Quota>> places) {
        // mutant: places-are-given-back-twice
        var mine = places.getAndSet(null);
        if (mine != null) {
            mine.forEach(Quota::giveBack);
        }
    }
}
