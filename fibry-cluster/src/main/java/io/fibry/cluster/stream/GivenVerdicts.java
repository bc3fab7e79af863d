package io.fibry.cluster.stream;

import io.fibry.cluster.stream.StreamFrame.Run;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Verdicts in the order in which they were given. Those of consecutive items take no more memory than one, if they are equal. */
final class GivenVerdicts {
    private final ArrayDeque<Run> runs = new ArrayDeque<>();
    private long size;

    /** How many verdicts there are. */
    long size() {
        return size;
    }

    /** Whether all of them say that an item was returned. */
    boolean areReturned() {
        return runs.stream().allMatch(run -> run.verdict() == Verdict.RETURNED);
    }

    void add(long number, Verdict verdict) {
        var last = runs.peekLast();
        if (last != null && last.verdict() == verdict && last.first() + last.length() == number
                && last.length() < Integer.MAX_VALUE) {
            runs.removeLast();
            runs.add(new Run(verdict, last.first(), last.length() + 1));
        } else {
            runs.add(new Run(verdict, number, 1));
        }
        size++;
    }

    /** Returns the first ones, and no more than so many. */
    List<Run> first(int most) {
        var first = new ArrayList<Run>();
        var left = most;
        for (var run : runs) {
            if (left == 0) {
                break;
            }
            var length = Math.min(left, run.length());
            first.add(new Run(run.verdict(), run.first(), length));
            left -= length;
        }
        return first;
    }

    /** Forgets the first ones. */
    void forget(long count) {
        size -= count;
        for (var left = count; left > 0;) {
            var run = runs.remove();
            var length = (int) Math.min(left, run.length());
            if (length < run.length()) {
                runs.addFirst(new Run(run.verdict(), run.first() + length, run.length() - length));
            }
            left -= length;
        }
    }

    void clear() {
        runs.clear();
        size = 0;
    }
}
