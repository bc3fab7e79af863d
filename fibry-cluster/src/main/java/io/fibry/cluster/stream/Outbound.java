package io.fibry.cluster.stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The sending end of a stream. It keeps each item until it knows the item's verdict, and repeats what was transmitted until then.
 *
 * <pre>
 *   waiting --> transmitted --> settled, with a verdict
 *      |             |
 *      |             +--> uncertain: the receiver was lost
 *      +--> not sent: the receiver was lost before; certainly not taken
 * </pre>
 *
 * <p>Not thread-safe.
 *
 * @param <T> type of the items
 */
public final class Outbound<T> {
    /** So many items may be on their way. The verdicts of all of them fit into a frame. */
    private static final int WINDOW = 4096;
    private static final int MOST_IN_FRAME = 256;
    private static final int FRAME_BYTES = 64 * 1024;
    private static final long FIRST_PAUSE = 100_000_000L;
    private static final long LONGEST_PAUSE = 1_000_000_000L;

    private final ArrayDeque<Kept<T>> kept = new ArrayDeque<>();
    private long epoch;
    /** The number of the last item whose verdict is known; the first one of {@code kept} has the next number. */
    private long confirmed;
    /** The number of the last item that was transmitted, since the last repetition began. */
    private long transmitted;
    /** The number of the last item that was ever transmitted. */
    private long highest;
    private boolean owesConfirmation;
    private long bytes;
    private long repeatAt;
    private long pause = FIRST_PAUSE;

    private record Kept<T>(T item, int size) {
    }

    /** An item and its verdict. */
    public record Settled<T>(T item, Verdict verdict) {
    }

    /** The items of a retired stream whose verdicts are not known, in their order. */
    public record Left<T>(List<T> uncertain, List<T> notSent) {
    }

    /** Begins with an epoch. */
    public Outbound(long epoch) {
        this.epoch = epoch;
    }

    /** The epoch of the stream. */
    public long epoch() {
        return epoch;
    }

    /** The size of all items that are kept. */
    public long bytes() {
        return bytes;
    }

    /** Adds an item. */
    public void add(T item, int size) {
        kept.add(new Kept<>(item, size));
        bytes += size;
    }

    /** Whether anything waits for a verdict. */
    public boolean isBusy() {
        return !kept.isEmpty();
    }

    /** Whether there is a frame to transmit. */
    public boolean hasNext() {
        return transmitted < Math.min(confirmed + kept.size(), confirmed + WINDOW) || owesConfirmation;
    }

    /**
     * Returns the next frame to transmit, or null if there is none now. The time is that of a clock in nanoseconds.
     *
     * @param encoding makes the bytes of an item, each time it is transmitted
     */
    public StreamFrame.@Nullable Items next(long now, Function<? super T, byte[]> encoding) {
        var end = Math.min(confirmed + kept.size(), confirmed + WINDOW);
        if (transmitted >= end) {
            return confirmation();
        }
        owesConfirmation = false;
        if (transmitted == confirmed) {
            repeatAt = now + pause;
        }
        var items = new ArrayList<byte[]>();
        var first = transmitted + 1;
        var length = 0;
        // An ArrayDeque has no index; the items before the first one are few unless a peer is slow.
        var all = kept.iterator();
        for (long number = confirmed + 1; number < first; number++) {
            all.next();
        }
        while (transmitted < end && items.size() < MOST_IN_FRAME && length < FRAME_BYTES) {
            var item = encoding.apply(all.next().item);
            items.add(item);
            length += item.length;
            transmitted++;
            highest = Math.max(highest, transmitted);
        }
        return new StreamFrame.Items(epoch, first, confirmed, items);
    }

    private StreamFrame.@Nullable Items confirmation() {
        if (!owesConfirmation) {
            return null;
        }
        owesConfirmation = false;
        return new StreamFrame.Items(epoch, transmitted + 1, confirmed, List.of());
    }

    /** Lets what was transmitted be transmitted again if no verdict has come for long. */
    public void repeat(long now) {
        if (highest > confirmed && now - repeatAt >= 0) {
            transmitted = confirmed;
            pause = Math.min(2 * pause, LONGEST_PAUSE);
            repeatAt = now + pause;
        }
    }

    /** Takes verdicts in, and returns the items that have got one, in their order. Those that are known already are skipped. */
    public List<Settled<T>> settle(StreamFrame.Verdicts verdicts, long now) {
        var settled = new ArrayList<Settled<T>>();
        if (verdicts.epoch() != epoch) {
            return settled; // late: the receiver may still have to be told of this epoch
        }
        // A receiver that tells what is known wants to be told that it is.
        owesConfirmation = !verdicts.verdicts().isEmpty();
        var last = verdicts.from() + verdicts.verdicts().size();
        if (verdicts.from() > confirmed || last > highest) {
            return settled;
        }
        while (confirmed < last) {
            var item = kept.remove();
            bytes -= item.size;
            settled.add(
                    new Settled<>(item.item, verdicts.verdicts().get((int) (confirmed - verdicts.from()))));
            confirmed++;
        }
        if (!settled.isEmpty()) {
            owesConfirmation = false;
            transmitted = Math.max(transmitted, confirmed);
            pause = FIRST_PAUSE;
            repeatAt = now + pause;
        }
        return settled;
    }

    /** Tells the epoch again to a receiver that does not know it: the frame that told it first was lost, or came before this node was seen. */
    public void showEpoch() {
        owesConfirmation = true;
    }

    /** Retires the stream and begins another one, with the next epoch. Returns the items that had no verdict. */
    public Left<T> retire() {
        var left = new Left<T>(new ArrayList<>(), new ArrayList<>());
        for (var number = confirmed + 1; !kept.isEmpty(); number++) {
            // mutant: what-was-transmitted-is-taken-for-not-sent
            (number <= highest ? left.uncertain : left.notSent).add(kept.remove().item);
        }
        epoch++;
        confirmed = 0;
        transmitted = 0;
        highest = 0;
        owesConfirmation = true;
        bytes = 0;
        pause = FIRST_PAUSE;
        return left;
    }
}
