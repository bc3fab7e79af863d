package io.fibry.internal.mailbox;

import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;

/** What a mailbox and its consumer are if only one thread uses them. */
public class SequentialMailbox {
    private final int capacity;
    private final LinkedList<Integer> waiting = new LinkedList<>();
    private boolean busy;
    private boolean closed;

    SequentialMailbox(int capacity) {
        this.capacity = capacity;
    }

    /** Without a bound, and with a turn that has handled all there was. */
    public static class Busy extends SequentialMailbox {
        public Busy() {
            super(Integer.MAX_VALUE);
            setBusy(this);
        }
    }

    /** With room for two, and with a turn that has handled all there was. */
    public static class BusyWithRoomForTwo extends SequentialMailbox {
        public BusyWithRoomForTwo() {
            super(BoundedOperations.CAPACITY);
            setBusy(this);
        }
    }

    private static void setBusy(SequentialMailbox mailbox) {
        mailbox.busy = true;
    }

    /** Without a bound. */
    public SequentialMailbox() {
        this(Integer.MAX_VALUE);
    }

    public String offer(int value) {
        if (closed) {
            return "CLOSED";
        }
        if (waiting.size() == capacity) {
            return "FULL";
        }
        waiting.add(value);
        var wakes = !busy;
        busy = true;
        return wakes ? "WAKE" : "QUEUED";
    }

    public Integer take() {
        busy &= !waiting.isEmpty();
        return waiting.poll();
    }

    /** What a sender does that drops the oldest: the actor stays busy. */
    public Integer drop() {
        return waiting.poll();
    }

    public int size() {
        return waiting.size();
    }

    public List<Integer> close() {
        var left = new ArrayList<>(waiting);
        waiting.clear();
        closed = true;
        return left;
    }
}
