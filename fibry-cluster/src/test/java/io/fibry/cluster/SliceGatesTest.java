package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class SliceGatesTest {
    private final SliceGates gates = new SliceGates(2);

    @Test
    void aGateIsClosedAtFirstAndOpensAlone() {
        assertThat(gates.enter(0)).isFalse();
        assertThat(gates.close(0)).isDone();
        gates.open(0);
        assertThat(gates.enter(0)).isTrue();
        assertThat(gates.enter(1)).isFalse();
        gates.leave(0);
        assertThat(gates.close(0)).isDone();
        assertThat(gates.enter(0)).isFalse();
    }

    @Test
    void theEndWaitsForAllThatAreInside() {
        gates.open(1);
        assertThat(gates.enter(1)).isTrue();
        assertThat(gates.enter(1)).isTrue();
        var end = gates.close(1);
        assertThat(gates.close(1)).as("it is the same end").isSameAs(end);
        gates.leave(1);
        assertThat(end).isNotDone();
        assertThat(gates.enter(1)).isFalse();
        gates.leave(1);
        assertThat(end).isDone();
        gates.open(1);
        assertThat(gates.enter(1)).isTrue();
        assertThat(gates.close(1)).isNotDone();
    }

    @Test
    void noSenderIsInsideAfterAnEnd() throws Exception {
        var inside = new AtomicInteger();
        var isOver = new AtomicBoolean();
        var entered = new LongAdder();
        var senders = new ArrayList<Thread>();
        for (int i = 0; i < 3; i++) {
            senders.add(Thread.ofPlatform().start(() -> {
                while (!isOver.get()) {
                    if (gates.enter(0)) {
                        inside.incrementAndGet();
                        entered.increment();
                        inside.decrementAndGet();
                        gates.leave(0);
                    }
                }
            }));
        }
        for (int round = 0; round < 20_000; round++) {
            gates.open(0);
            for (int spins = round % 50; spins > 0; spins--) {
                Thread.onSpinWait();
            }
            Waits.on(gates.close(0));
            assertThat(inside).hasValue(0);
        }
        isOver.set(true);
        for (var sender : senders) {
            Waits.on(sender);
        }
        assertThat(entered.sum()).isPositive();
    }
}
