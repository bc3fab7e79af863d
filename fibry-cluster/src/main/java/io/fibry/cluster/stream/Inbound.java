package io.fibry.cluster.stream;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of a stream. It lets each item pass once, in the order of the numbers, and keeps the verdicts until the sender knows
 * them. An item that comes too early is left out: the sender repeats it.
 *
 * <p>Not thread-safe.
 */
public final class Inbound {
    /** The verdicts of the items after {@code known}, null where there is none yet. */
    private final List<@Nullable Verdict> verdicts = new ArrayList<>();
    private long epoch;
    private long retired;
    /** The sender knows the verdicts up to this number. */
    private long known;
    private boolean owesVerdicts;
    /** The stream was retired while the sender did not know all verdicts, and it has not opened another one. */
    private boolean retiredUnknown;

    /** What is to be done with an item that has come. */
    public enum Arrival {
        /** It is the next one. */
        NEXT,
        /** It has passed before, or comes too early. */
        SKIPPED,
        /** Its stream is retired. */
        RETIRED
    }

    /** The epoch of the stream that is open, or of the last one that was. */
    public long epoch() {
        return epoch;
    }

    /** Opens the stream of an epoch if it is newer, and forgets the one before. Returns whether it did so. */
    public boolean open(long newer) {
        if (newer <= epoch) {
            return false;
        }
        epoch = newer;
        known = 0;
        retiredUnknown = false;
        verdicts.clear();
        return true;
    }

    /** Says whether an item passes. If it does, it must be given a verdict later. */
    public Arrival arrive(long ofEpoch, long number) {
        if (ofEpoch <= retired || ofEpoch < epoch) {
            return Arrival.RETIRED;
        }
        owesVerdicts = true;
        // mutant: item-passes-twice
        if (number != known + verdicts.size() + 1) {
            return Arrival.SKIPPED;
        }
        verdicts.add(null);
        return Arrival.NEXT;
    }

    /** Gives an item its verdict. Does nothing if its stream is retired, or if it has one. */
    public void settle(long ofEpoch, long number, Verdict verdict) {
        var index = number - known - 1;
        if (ofEpoch == epoch && epoch > retired && index >= 0 && index < verdicts.size()
                && verdicts.get((int) index) == null) {
            verdicts.set((int) index, verdict);
            owesVerdicts = true;
        }
    }

    /** Forgets the verdicts that the sender knows. */
    public void confirm(long ofEpoch, long confirmed) {
        var most = Math.min(confirmed - known, verdicts.size());
        if (ofEpoch == epoch && most > 0) {
            verdicts.subList(0, (int) most).clear();
            known += most;
        }
    }

    /** Returns what the sender is owed: verdicts, or that the stream is retired; null if it is owed nothing until something comes. */
    public @Nullable StreamFrame owed() {
        if (!owesVerdicts) {
            return null;
        }
        owesVerdicts = false;
        if (epoch <= retired) {
            return new StreamFrame.Retired(epoch);
        }
        var settled = new ArrayList<Verdict>();
        for (var verdict : verdicts) {
            if (verdict == null) {
                break;
            }
            settled.add(verdict);
        }
        return new StreamFrame.Verdicts(epoch, known, settled);
    }

    /** Whether the sender knows that all was taken that was taken. If it may not, it is told again. */
    public boolean isTakenKnown() {
        var isKnown = !retiredUnknown && areReturned();
        if (!isKnown) {
            owesVerdicts = true;
        }
        return isKnown;
    }

    private boolean areReturned() {
        return verdicts.stream().allMatch(verdict -> verdict == Verdict.RETURNED);
    }

    /** Retires the stream: nothing of it passes any more. */
    public void retire() {
        retiredUnknown |= !areReturned();
        retired = epoch;
        verdicts.clear();
        owesVerdicts = false;
    }
}
