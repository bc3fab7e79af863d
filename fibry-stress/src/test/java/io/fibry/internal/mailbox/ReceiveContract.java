package io.fibry.internal.mailbox;

import io.fibry.internal.actor.Mailbox;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * A handler that receives makes the mailbox idle in the middle of a turn and takes it back, or gets the node of
 * the sender that was faster. Seen from outside it is a plain queue.
 */
public abstract class ReceiveContract {
    private final Consumer consumer;

    ReceiveContract(Mailbox mailbox) {
        consumer = new Consumer(mailbox);
    }

    /** The same for one thread. */
    public static class Specification {
        private final Queue<Integer> queue = new ArrayDeque<>();

        public void offer(int value) {
            queue.add(value);
        }

        public Integer receive() {
            return queue.poll();
        }
    }

    @Operation
    public void offer(int value) {
        consumer.offer(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public Integer receive() {
        return consumer.receive();
    }

    @Test
    void losesAndDoublesNothingInEveryInterleaving() {
        Quick.modelLonger(getClass(), Specification.class, 2);
    }

    @Test
    void losesAndDoublesNothingUnderStress() {
        Quick.stress(getClass(), Specification.class, 3);
    }
}
