package io.fibry.internal;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/** How long Lincheck looks. {@code -Dlincheck.factor=20} makes it look longer. */
final class Quick {
    private static final int FACTOR = Integer.getInteger("lincheck.factor", 1);

    private Quick() {
    }

    /** All interleavings of few operations, one after another, at every access to shared memory. */
    static void model(Class<?> test, Class<?> specification, int threads) {
        new ModelCheckingOptions().sequentialSpecification(specification).threads(threads).actorsPerThread(3)
                .actorsBefore(3).actorsAfter(3).iterations(8 * FACTOR).invocationsPerIteration(200)
                .minimizeFailedScenario(false).check(test);
    }

    /** Real threads. */
    static void stress(Class<?> test, Class<?> specification, int threads) {
        new StressOptions().sequentialSpecification(specification).threads(threads).actorsPerThread(4)
                .actorsBefore(3).actorsAfter(3).iterations(8 * FACTOR).invocationsPerIteration(400)
                .minimizeFailedScenario(false).check(test);
    }
}
