package io.fibry.cluster.stream;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of a stream. It lets each item pass once, in the order of the numbers, and keeps the verdicts
 * until the sender knows them. They may be given in another order: an item without a verdict holds up no other. An
 * item that comes too early is left out: the sender repeats it.
 *
 * <p>Not thread-safe.
 */
public final class Inbound {
    /** More verdicts do not go together. */
    static final int MOST_TOLD = 4096;

    /** The verdicts that were given after the first {@code known} ones. */
    private final GivenVerdicts given = new GivenVerdicts();
    /** The items that have passed and have no verdict. */
    private final Set<Long> undecided = new HashSet<>();
    /** Of the stream that is open, or of the last one that was. */
    private long epoch;
    private long retired;
    /** The number of the last item that has passed. */
    private long passed;
    /** The number of the last passed item that the sender was told of. */
    private long passedTold;
    /** So many verdicts are known to the sender. */
    private long known;
    /** So many verdicts were told to the sender, which may not know them. */
    private long told;
    private boolean owesVerdicts;

    /** What is to be done with an item that has come. */
    public enum Arrival {
        /** It is the next one. */
        NEXT,
        /** It has passed before, or comes too early. */
        SKIPPED,
        /** Its stream is retired. */
        RETIRED
    }

    /** Opens the stream of an epoch if it is newer, and forgets the one before. Returns whether it did so. */
    public boolean open(long newer) {
        if (newer <= epoch) {
            return false;
        }
        epoch = newer;
        passed = 0;
        passedTold = 0;
        known = 0;
        told = 0;
        given.clear();
        undecided.clear();
        return true;
    }

    /** Says whether an item passes. If it does, it must be given a verdict later. */
    public Arrival arrive(long ofEpoch, long number) {
        if (ofEpoch <= retired || ofEpoch < epoch) {
            return Arrival.RETIRED;
        }
        owesVerdicts = true;
        // mutant: item-passes-twice
        if (number != passed + 1) {
            return Arrival.SKIPPED;
        }
        passed++;
        undecided.add(number);
        return Arrival.NEXT;
    }

    /** Gives an item its verdict. Does nothing if its stream is retired, or if it has one. */
    public void settle(long ofEpoch, long number, Verdict verdict) {
        if (ofEpoch == epoch && epoch > retired && undecided.remove(number)) {
            given.add(number, verdict);
            owesVerdicts = true;
        }
    }

    /** Forgets the verdicts that the sender knows. */
    public void confirm(long ofEpoch, long confirmed) {
        var most = Math.min(confirmed - known, given.size());
        if (ofEpoch == epoch && most > 0) {
            given.forget(most);
            known += most;
            owesVerdicts |= known + given.size() > told; // what did not fit
        }
    }

    /** Whether many items have passed of which the sender does not know it: it may soon stand still. */
    public boolean owesMany() {
        return owesVerdicts && passed - passedTold >= Outbound.WINDOW / 4;
    }

    /**
     * Returns what the sender is owed: verdicts; or that the stream is retired, until it begins another one, since it may
     * have nothing to send and wait for answers that will not come; null if it is owed nothing until something comes.
     */
    public @Nullable StreamFrame owed() {
        // mutant: sender-that-waits-for-an-answer-is-not-told-of-the-end
        if (isRetired()) {
            return new StreamFrame.Retired(epoch);
        }
        if (!owesVerdicts) {
            return null;
        }
        owesVerdicts = false;
        passedTold = passed;
        told = Math.max(told, known + Math.min(given.size(), MOST_TOLD));
        return new StreamFrame.Verdicts(epoch, passed, known, given.first(MOST_TOLD));
    }

    private boolean isRetired() {
        return epoch > 0 && epoch <= retired;
    }

    /** Whether the sender knows that all was taken that was taken. If it may not, it is told again. */
    public boolean isTakenKnown() {
        var isKnown = !isRetired() && undecided.isEmpty() && given.areReturned();
        if (!isKnown) {
            owesVerdicts = true;
        }
        return isKnown;
    }

    /** Retires the stream: nothing of it passes any more. */
    public void retire() {
        retired = epoch;
        passedTold = passed;
        given.clear();
        undecided.clear();
        owesVerdicts = false;
    }
}
