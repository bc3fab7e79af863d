package io.fibry.cluster.simulation;

import io.fibry.cluster.home.Fate;
import io.fibry.cluster.home.Letter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A message that a client has sent, and all that became of it. */
final class Operation {
    static final int NOT_ANSWERED = -1;

    final int id;
    final UUID sender;
    final int key;
    /** Number of the message among those of its sender with its key. */
    final int sequence;
    final boolean isAsk;
    final boolean isRepeatable;
    final long begin;
    final List<Fate> fates = new ArrayList<>();
    Letter letter;
    int answer = NOT_ANSWERED;
    int answers;
    long end;
    boolean timedOut;
    int handled;
    /** The nodes where it was handled. */
    final List<UUID> handledBy = new ArrayList<>();

    Operation(int id, UUID sender, int key, int sequence, boolean isAsk, boolean isRepeatable, long begin) {
        this.id = id;
        this.sender = sender;
        this.key = key;
        this.sequence = sequence;
        this.isAsk = isAsk;
        this.isRepeatable = isRepeatable;
        this.begin = begin;
    }

    @Override
    public String toString() {
        return (isRepeatable ? "repeatable " : "") + (isAsk ? "ask " : "tell ") + id + " (number " + sequence
                + " of " + sender + " with key " + key
                + "), "
                + fates + ", handled " + handled + " times, answer " + answer
                + (timedOut ? ", timed out" : "");
    }
}
