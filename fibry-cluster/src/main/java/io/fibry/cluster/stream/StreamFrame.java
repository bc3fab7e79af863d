package io.fibry.cluster.stream;

import java.util.List;

/** What goes from one node to another. Several frames may go together. */
public sealed interface StreamFrame {
    /** The epoch of the stream to which the frame belongs. */
    long epoch();

    /**
     * Consecutive items.
     *
     * @param epoch epoch of the sender's stream
     * @param first number of the first item
     * @param confirmed the sender knows the verdicts of all items up to this number
     * @param items the items, as bytes
     */
    record Items(long epoch, long first, long confirmed, List<byte[]> items) implements StreamFrame {
    }

    /**
     * The verdicts of consecutive items, as the receiver's answer.
     *
     * @param epoch epoch of the stream whose items these are
     * @param from number of the item before the first one
     * @param verdicts verdicts of the items that follow
     */
    record Verdicts(long epoch, long from, List<Verdict> verdicts) implements StreamFrame {
    }

    /**
     * The receiver's answer to items of a retired stream.
     *
     * @param epoch epoch of the retired stream
     */
    record Retired(long epoch) implements StreamFrame {
    }
}
