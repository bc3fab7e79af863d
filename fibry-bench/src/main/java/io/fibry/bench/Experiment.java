package io.fibry.bench;

import io.fibry.bench.report.Report;
import java.time.Duration;

/** One thing to measure. {@link Experiments} lists them; to add one is a class and a line there. */
public interface Experiment {
    /**
     * What it is called on the command line.
     *
     * @return the name
     */
    String name();

    /**
     * What it measures, in one line.
     *
     * @return the line
     */
    String what();

    /**
     * What it looks at before it believes its own figures, in one line.
     *
     * @return the line
     */
    String checks();

    /**
     * How long it may take with {@code --quick}. All experiments together have less than three minutes.
     *
     * @return the time; after it no further round is started
     */
    default Duration quickTime() {
        return Duration.ofSeconds(6);
    }

    /**
     * Measures, checks that nothing was lost, and adds rows to the report.
     *
     * @param settings how much to measure
     * @param report where the results go
     * @throws Exception whatever went wrong; the experiment has then failed
     */
    void run(Settings settings, Report report) throws Exception;
}
