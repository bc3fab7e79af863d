package io.fibry.cluster.stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The sending end of a stream. It keeps each item until it knows the item's verdict, repeats what was transmitted
 * until it has arrived, and asks again for verdicts after that.
 *
 * <pre>
 *   waiting --> transmitted --> arrived --> settled, with a verdict
 *      |             |             |
 *      |             +-------------+--> uncertain: the receiver was lost
 *      +--> not sent: the receiver was lost before; certainly not taken
 * </pre>
 *
 * <p>An item that has arrived and has no verdict, such as one that waits for room in a mailbox, holds up no other, as
 * long as those without a verdict are no more than {@code MOST_UNDECIDED}.
 *
 * <p>Not thread-safe.
 *
 * @param <T> type of the items
 */
public final class Outbound<T> {
    /** So many items may be on their way at once. */
    static final int WINDOW = 4096;
    /** So many items may have no verdict. The receiver keeps their numbers, and their messages wait for mailboxes. */
    static final int MOST_UNDECIDED = 1 << 20;
    private static final int MOST_IN_FRAME = 256;
    private static final int FRAME_BYTES = 64 * 1024;
    private static final long FIRST_PAUSE = 100_000_000L;
    private static final long LONGEST_PAUSE = 1_000_000_000L;

    /** Items that have arrived, as far as is known, and have no verdict; by their numbers, and in this order. */
    private final LinkedHashMap<Long, T> undecided = new LinkedHashMap<>();
    /** The items behind them. */
    private final ArrayDeque<T> kept = new ArrayDeque<>();
    private long epoch;
    /** The number of the last item that is known to have arrived; the first one of {@code kept} has the next number. */
    private long arrived;
    /** How many verdicts have come. */
    private long confirmed;
    /** The number of the last item that was transmitted, since the last repetition began. */
    private long transmitted;
    /** The number of the last item that was ever transmitted. */
    private long highest;
    private boolean owesConfirmation;
    /** Whether all has arrived and no verdict has come for long: then the next frame makes the receiver tell what it knows. */
    private boolean asksAgain;
    private long repeatAt;
    private long pause = FIRST_PAUSE;

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

    /** Adds an item. */
    public void add(T item) {
        kept.add(item);
    }

    /** Whether anything waits for a verdict. */
    public boolean isBusy() {
        return !kept.isEmpty() || !undecided.isEmpty();
    }

    /** Whether there is a frame to transmit. */
    public boolean hasNext() {
        return transmitted < end() || asksAgain || owesConfirmation;
    }

    /** The number of the last item that may be transmitted now. */
    private long end() {
        return arrived + Math.min(kept.size(), Math.min(WINDOW, MOST_UNDECIDED - undecided.size()));
    }

    /**
     * Returns the next frame to transmit, or null if there is none now. The time is that of a clock in nanoseconds.
     *
     * @param encoding makes the bytes of an item, each time it is transmitted
     */
    public StreamFrame.@Nullable Items next(long now, Function<? super T, byte[]> encoding) {
        var end = end();
        if (transmitted >= end) {
            return asksAgain ? reminder(encoding) : confirmation();
        }
        owesConfirmation = false;
        asksAgain = false;
        if (transmitted == arrived) {
            pause = highest == arrived ? FIRST_PAUSE : pause;
            repeatAt = now + pause;
        }
        var items = new ArrayList<byte[]>();
        var first = transmitted + 1;
        var length = 0;
        // An ArrayDeque has no index; the items before the first one are few unless a peer is slow.
        var all = kept.iterator();
        for (long number = arrived + 1; number < first; number++) {
            all.next();
        }
        while (transmitted < end && items.size() < MOST_IN_FRAME && length < FRAME_BYTES) {
            var item = encoding.apply(all.next());
            items.add(item);
            length += item.length;
            transmitted++;
            highest = Math.max(highest, transmitted);
        }
        return new StreamFrame.Items(epoch, first, confirmed, items);
    }

    /** The receiver has the first item without a verdict. It answers each item with all that it has to tell. */
    private StreamFrame.Items reminder(Function<? super T, byte[]> encoding) {
        asksAgain = false;
        owesConfirmation = false;
        var first = undecided.firstEntry();
        return new StreamFrame.Items(epoch, first.getKey(), confirmed,
                List.of(encoding.apply(first.getValue())));
    }

    private StreamFrame.@Nullable Items confirmation() {
        if (!owesConfirmation) {
            return null;
        }
        owesConfirmation = false;
        return new StreamFrame.Items(epoch, transmitted + 1, confirmed, List.of());
    }

    /** Lets what was transmitted be transmitted again if nothing has come for long. */
    public void repeat(long now) {
        if ((highest > arrived || !undecided.isEmpty()) && now - repeatAt >= 0) {
            asksAgain = highest == arrived;
            transmitted = arrived;
            pause = Math.min(2 * pause, LONGEST_PAUSE);
            repeatAt = now + pause;
        }
    }

    /** Takes verdicts in, and returns the items that have got one, in the order of the verdicts. Known ones are skipped. */
    public List<Settled<T>> settle(StreamFrame.Verdicts verdicts, long now) {
        var settled = new ArrayList<Settled<T>>();
        if (verdicts.epoch() != epoch) {
            return settled; // late: the receiver may still have to be told of this epoch
        }
        // A receiver that tells what is known wants to be told that it is.
        owesConfirmation |= !verdicts.verdicts().isEmpty();
        if (verdicts.from() > confirmed || verdicts.arrived() > highest) {
            return settled;
        }
        var isNew = arrive(verdicts.arrived());
        var place = verdicts.from();
        for (var run : verdicts.verdicts()) {
            for (int n = 0; n < run.length(); n++) {
                if (++place > confirmed) {
                    confirmed = place;
                    settle(run.first() + n, run.verdict(), settled);
                }
            }
        }
        if (!settled.isEmpty()) {
            // There may be more than go together.
            owesConfirmation = place - verdicts.from() >= Inbound.MOST_TOLD;
        }
        if (isNew || !settled.isEmpty()) {
            asksAgain = false;
            pause = FIRST_PAUSE;
            repeatAt = now + pause;
        }
        return settled;
    }

    private boolean arrive(long last) {
        var isNew = last > arrived;
        while (arrived < last) {
            arrived++;
            undecided.put(arrived, kept.remove());
        }
        transmitted = Math.max(transmitted, arrived);
        return isNew;
    }

    private void settle(long number, Verdict verdict, List<Settled<T>> settled) {
        var item = undecided.remove(number);
        if (item != null) {
            settled.add(new Settled<>(item, verdict));
        }
    }

    /** Tells the epoch again to a receiver that does not know it: the first frame was lost, or came before it saw this node. */
    public void showEpoch() {
        owesConfirmation = true;
    }

    /** Retires the stream and begins another one, with the next epoch. Returns the items that had no verdict. */
    public Left<T> retire() {
        var left = new Left<T>(new ArrayList<>(), new ArrayList<>());
        left.uncertain.addAll(undecided.values());
        undecided.clear();
        for (var number = arrived + 1; !kept.isEmpty(); number++) {
            // mutant: what-was-transmitted-is-taken-for-not-sent
            (number <= highest ? left.uncertain : left.notSent).add(kept.remove());
        }
        epoch++;
        arrived = 0;
        confirmed = 0;
        transmitted = 0;
        highest = 0;
        owesConfirmation = true;
        asksAgain = false;
        pause = FIRST_PAUSE;
        return left;
    }
}
