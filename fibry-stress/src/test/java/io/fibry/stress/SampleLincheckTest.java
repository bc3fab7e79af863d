package io.fibry.stress;

import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/** Placeholder: shows that Lincheck runs. */
public class SampleLincheckTest {
    private final ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();

    @Operation
    public boolean offer(int value) {
        return queue.offer(value);
    }

    @Operation
    public Integer poll() {
        return queue.poll();
    }

    @Test
    void shouldBeLinearizableInModel() {
        new ModelCheckingOptions().iterations(10).invocationsPerIteration(200).check(getClass());
    }

    @Test
    void shouldBeLinearizableUnderStress() {
        new StressOptions().iterations(10).invocationsPerIteration(200).check(getClass());
    }
}
