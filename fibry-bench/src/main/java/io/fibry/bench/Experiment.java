package io.fibry.bench;

import io.fibry.bench.report.Report;

/** One thing to measure. {@link Experiments} lists them. */
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
     * Measures, checks that nothing was lost, and adds rows to the report.
     *
     * @param settings how much to measure
     * @param report where the results go
     * @throws Exception whatever went wrong; the experiment has then no result
     */
    void run(Settings settings, Report report) throws Exception;
}
