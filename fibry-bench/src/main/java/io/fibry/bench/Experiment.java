package io.fibry.bench;

import io.fibry.bench.report.Report;
import java.time.Duration;

/** An experiment. {@link Experiments} lists all of them; a new one needs a class and a line there. */
public interface Experiment {
    /**
     * Returns the name on the command line.
     *
     * @return the name
     */
    String name();

    /**
     * Returns what the experiment measures, in one line.
     *
     * @return the line
     */
    String what();

    /**
     * Returns what the experiment checks before it reports its figures, in one line.
     *
     * @return the line
     */
    String checks();

    /**
     * Returns how long the experiment may take with {@code --quick}. All experiments together have less than four
     * minutes.
     *
     * @return the time; after it no further round is started, but each line of a quick run is measured once. Zero if a
     *     quick run leaves the experiment out
     */
    default Duration quickTime() {
        return Duration.ofSeconds(6);
    }

    /**
     * Returns how long the experiment may take with {@code --quick} if it is named, and not one of all.
     *
     * @return the time; after it no further round is started
     */
    default Duration quickTimeIfNamed() {
        return quickTime();
    }

    /**
     * Tells whether {@code all} has this experiment.
     *
     * @return false if it is run only if it is named
     */
    default boolean isForAll() {
        return true;
    }

    /**
     * Measures, checks that nothing was lost, and adds rows to the report.
     *
     * @param settings the amounts to measure
     * @param report collects the results
     * @throws Exception any exception; the experiment has then failed
     */
    void run(Settings settings, Report report) throws Exception;
}
