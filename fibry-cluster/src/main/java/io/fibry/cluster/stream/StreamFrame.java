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
     * @param confirmed how many verdicts of the receiver the sender knows
     * @param items the items, as bytes
     */
    record Items(long epoch, long first, long confirmed, List<byte[]> items) implements StreamFrame {
    }

    /**
     * The receiver's answer: what has arrived, and verdicts, in the order in which they were given. It need not be that of the items.
     *
     * @param epoch epoch of the stream whose items these are
     * @param arrived number of the last item that has arrived; all before it have arrived as well
     * @param from how many verdicts were given before these
     * @param verdicts the verdicts
     */
    record Verdicts(long epoch, long arrived, long from, List<Run> verdicts) implements StreamFrame {
    }

    /**
     * Consecutive items with one verdict.
     *
     * @param verdict the verdict of each of them
     * @param first number of the first item
     * @param length how many items they are
     */
    record Run(Verdict verdict, long first, int length) {
    }

    /**
     * What the receiver says of a retired stream until the sender begins another one.
     *
     * @param epoch epoch of the retired stream
     */
    record Retired(long epoch) implements StreamFrame {
    }
}
