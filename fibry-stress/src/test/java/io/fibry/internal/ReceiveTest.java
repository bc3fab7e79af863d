package io.fibry.internal;

import io.fibry.OverflowPolicy;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * A handler that receives makes the mailbox idle in the middle of a turn and takes it back, or gets the node of
 * the sender that was faster. Seen from outside both mailboxes are plain queues.
 */
public class ReceiveTest {
    private final Consumer unbounded = new Consumer(Cells.unbounded());
    private final Consumer bounded = new Consumer(Cells.bounded(Integer.MAX_VALUE, OverflowPolicy.reject()));

    /** The same for one thread. */
    public static class Specification {
        private final Queue<Integer> first = new ArrayDeque<>();
        private final Queue<Integer> second = new ArrayDeque<>();

        public void offer(int value) {
            first.add(value);
        }

        public void offerBounded(int value) {
            second.add(value);
        }

        public Integer take() {
            return first.poll();
        }

        public Integer receive() {
            return first.poll();
        }

        public Integer takeBounded() {
            return second.poll();
        }

        public Integer receiveBounded() {
            return second.poll();
        }
    }

    @Operation
    public void offer(int value) {
        unbounded.offer(value);
    }

    @Operation
    public void offerBounded(int value) {
        bounded.offer(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public Integer take() {
        return unbounded.take();
    }

    @Operation(nonParallelGroup = "consumer")
    public Integer receive() {
        return unbounded.receive();
    }

    @Operation(nonParallelGroup = "consumer")
    public Integer takeBounded() {
        return bounded.take();
    }

    @Operation(nonParallelGroup = "consumer")
    public Integer receiveBounded() {
        return bounded.receive();
    }

    @Test
    void losesAndDoublesNothingInEveryInterleaving() {
        Quick.model(getClass(), Specification.class, 3);
    }

    @Test
    void losesAndDoublesNothingUnderStress() {
        Quick.stress(getClass(), Specification.class, 3);
    }
}
