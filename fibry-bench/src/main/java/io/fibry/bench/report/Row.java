package io.fibry.bench.report;

import java.util.Locale;

/**
 * One result.
 *
 * @param experiment the experiment's name
 * @param subject what was measured
 * @param unit what the values are in
 * @param samples the values
 * @param budget what must be reached; empty if nothing must
 * @param article what article 002 says of it; empty if nothing
 */
public record Row(String experiment, String subject, String unit, Samples samples, String budget,
        String article) {
    String median() {
        return number(samples.median());
    }

    String spread() {
        return samples.values().size() == 1
                ? ""
                : number(samples.low()) + " to " + number(samples.high());
    }

    /** Three digits that mean something, or all before the point. */
    static String number(double value) {
        if (value >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.2f", value);
    }
}
