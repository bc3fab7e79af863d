package io.fibry.internal.limit;

import io.fibry.internal.run.Quota;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The places that one message has taken. A permit goes with its message. The places are given back once, by the first
 * thread that does so: the job that handles the message, a thread that finds the message lost, or a canceller.
 */
public final class Permit {
    /** Exchanged by the threads that give the places back, so these are given back once. */
    private final AtomicReference<@Nullable List<Quota>> waiting;
    private final AtomicReference<@Nullable List<Quota>> others;

    /**
     * Creates a permit.
     *
     * @param waiting the places that are taken as long as the message waits
     * @param others the places that are taken until all is done
     */
    public Permit(List<Quota> waiting, List<Quota> others) {
        this.waiting = new AtomicReference<>(waiting);
        this.others = new AtomicReference<>(others);
    }

    /** Gives back the places for waiting: the message does not wait any more. */
    public void begin() {
        giveBack(waiting);
    }

    /** Gives back all places: the message was handled, or will not be. */
    public void giveBack() {
        giveBack(waiting);
        giveBack(others);
    }

    private static void giveBack(AtomicReference<@Nullable List<Quota>> places) {
        // mutant: places-are-given-back-twice
        var mine = places.getAndSet(null);
        if (mine != null) {
            for (var quota : mine) {
                quota.giveBack();
            }
        }
    }
}
