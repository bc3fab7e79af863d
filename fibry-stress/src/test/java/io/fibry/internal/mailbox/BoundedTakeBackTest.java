package io.fibry.internal.mailbox;

import io.fibry.OverflowPolicy;
import io.fibry.internal.actor.MessageNode;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Room for two. What nobody wants any more gives its place back if no wanted one is before it: at once, or to a sender
 * that finds no room. Threads that send and that ask how much waits run beside.
 */
@Tag("thorough")
public class BoundedTakeBackTest {
    private static final int CAPACITY = 2;

    private final BoundedCell<Object, Object> mailbox = Cells.bounded(CAPACITY, OverflowPolicy.reject());
    private final Consumer consumer = new Consumer(mailbox);
    private Wish latest = new Wish(0);

    /** A message that can be taken back. */
    private static final class Wish extends MessageNode {
        private volatile boolean over;

        Wish(int value) {
            super(value);
        }

        @Override
        public boolean isOver() {
            return over;
        }
    }

    /** The same for one thread. */
    public static class Specification {
        private final Deque<Entry> waiting = new ArrayDeque<>();
        private Entry latest = new Entry(0);
        private boolean busy;

        private static final class Entry {
            final int value;
            boolean over;

            Entry(int value) {
                this.value = value;
            }
        }

        /** Sends what may be taken back. */
        public String ask(int value) {
            latest = new Entry(value);
            return offer(latest);
        }

        /** Sends a message. */
        public String send(int value) {
            return offer(new Entry(value));
        }

        private String offer(Entry entry) {
            if (waiting.size() == CAPACITY) {
                giveBack();
            }
            if (waiting.size() == CAPACITY) {
                return "FULL";
            }
            waiting.add(entry);
            var wakes = !busy;
            busy = true;
            return wakes ? "WAKE" : "QUEUED";
        }

        /** Nobody wants what was asked last. */
        public void takeBack() {
            latest.over = true;
            giveBack();
        }

        private void giveBack() {
            while (!waiting.isEmpty() && waiting.peek().over) {
                waiting.poll();
            }
        }

        /** The next one that somebody wants. */
        public Integer take() {
            giveBack();
            busy &= !waiting.isEmpty();
            return waiting.isEmpty() ? null : waiting.poll().value;
        }

        /** Whether as many wait as may. */
        public boolean sizeIsPossible() {
            return true;
        }
    }

    @Operation(nonParallelGroup = "asker and consumer")
    public String ask(int value) {
        latest = new Wish(value);
        return consumer.offer(latest);
    }

    /**
     * Not beside {@link #take}. If the consumer has taken what is taken back after that, it goes on to the next one and has
     * given back two places, which no order of the two operations explains.
     */
    @Operation(nonParallelGroup = "asker and consumer")
    public void takeBack() {
        latest.over = true;
        mailbox.tookBack();
    }

    @Operation
    public String send(int value) {
        return consumer.offer(value);
    }

    /** Not how many: a sender that finds no room first gives places back and then tries again, and both can be seen. */
    @Operation
    public boolean sizeIsPossible() {
        var size = mailbox.mailboxSize();
        return size >= 0 && size <= CAPACITY;
    }

    @Operation(nonParallelGroup = "asker and consumer")
    public Integer take() {
        return consumer.takeWanted();
    }

    @Test
    void placesAreGivenBackInEveryInterleaving() {
        Quick.modelLonger(getClass(), Specification.class, 3);
    }

    @Test
    void placesAreGivenBackUnderStress() {
        Quick.stress(getClass(), Specification.class, 3);
    }
}
