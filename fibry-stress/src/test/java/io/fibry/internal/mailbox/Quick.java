package io.fibry.internal.mailbox;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/** How long Lincheck looks. The profile "thorough" lets it look longer, and so does {@code -Dlincheck.factor=40}. */
public final class Quick {
    private static final int FACTOR =
            Integer.getInteger("lincheck.factor", Boolean.getBoolean("fibry.thorough") ? 40 : 1);
    /** A sender that meets another one pauses, by a loop that Lincheck would take for one without an end. */
    private static final ManagedStrategyGuarantee PAUSES_END =
            forClasses(SenderPause.class.getName()).methods("pause").ignore();

    private Quick() {
    }

    /** Many interleavings of few operations, with a switch of threads at any access to shared memory. */
    public static void model(Class<?> test, Class<?> specification, int threads) {
        model(test, specification, threads, 2, 2, 100);
    }

    /** The same for what fails seldom: more operations before and after, more scenarios. */
    public static void modelLonger(Class<?> test, Class<?> specification, int threads) {
        model(test, specification, threads, 3, 3, 200);
    }

    private static void model(Class<?> test, Class<?> specification, int threads, int around, int scenarios,
            int interleavings) {
        new ModelCheckingOptions().sequentialSpecification(specification).threads(threads).actorsPerThread(3)
                .actorsBefore(around).actorsAfter(around).iterations(scenarios * FACTOR)
                .invocationsPerIteration(interleavings).addGuarantee(PAUSES_END)
                .minimizeFailedScenario(false).check(test);
    }

    /** Real threads. */
    public static void stress(Class<?> test, Class<?> specification, int threads) {
        new StressOptions().sequentialSpecification(specification).threads(threads).actorsPerThread(4)
                .actorsBefore(3).actorsAfter(3).iterations(2 * FACTOR).invocationsPerIteration(300)
                .minimizeFailedScenario(false).check(test);
    }
}
