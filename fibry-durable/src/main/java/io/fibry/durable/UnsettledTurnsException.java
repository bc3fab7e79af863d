package io.fibry.durable;

import java.io.Serial;
import java.util.BitSet;
import java.util.Map;

/**
 * A {@link Journal} throws this exception if it does not know of some turns of a commit whether they were written, and knows it of the others. The asks of these turns fail with
 * the reason; the others get their answers.
 */
public final class UnsettledTurnsException extends Exception {
    @Serial
    private static final long serialVersionUID = 1;

    private final transient BitSet written;
    private final transient Map<Integer, Exception> unsettled;

    /**
     * Makes an exception.
     *
     * @param written bit i is set if turn i was written
     * @param unsettled the turns of which it is not known whether they were written, by their place in the list that was to be committed, and why; at least one
     */
    public UnsettledTurnsException(BitSet written, Map<Integer, Exception> unsettled) {
        super("it is not known of " + unsettled.size() + " turns whether they were written",
                reason(unsettled));
        this.written = (BitSet) written.clone();
        this.unsettled = Map.copyOf(unsettled);
    }

    private static Exception reason(Map<Integer, Exception> unsettled) {
        return unsettled.values().stream().findFirst().orElseThrow(() -> new IllegalArgumentException(
                "unsettled has no turn: return the turns that were written instead"));
    }

    /**
     * Returns the turns that were written.
     *
     * @return bit i is set if turn i was written
     */
    public BitSet written() {
        return (BitSet) written.clone();
    }

    /**
     * Returns the turns of which it is not known whether they were written.
     *
     * @return by their place in the list that was to be committed, the reason
     */
    public Map<Integer, Exception> unsettled() {
        return unsettled;
    }
}
