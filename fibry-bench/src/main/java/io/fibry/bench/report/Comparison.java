package io.fibry.bench.report;

import io.fibry.bench.report.Unit.Better;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The changes between two runs.
 *
 * @param changes the lines that both runs have measured
 * @param onlyBefore the lines that only the first run has measured
 * @param onlyAfter the lines that only the second run has measured
 * @param warnings why the two may not be comparable
 */
public record Comparison(List<Change> changes, List<String> onlyBefore, List<String> onlyAfter,
        List<String> warnings) {
    private static final List<String> MUST_BE_THE_SAME =
            List.of("os", "cpu", "cores", "memory", "jdk", "gc", "scheduler parallelism");

    /** The verdict on a change. */
    public enum Verdict {
        /** The worst sample of the second run is better than the best of the first. */
        BETTER,
        /** The best sample of the second run is worse than the worst of the first. */
        WORSE,
        /** The samples overlap, or the medians differ by less than a tenth. */
        SAME,
        /** One of the two runs has fewer than three samples. */
        UNKNOWN
    }

    /**
     * A line that both runs have measured.
     *
     * @param subject the experiment, the case and the peer
     * @param before the row of the first run
     * @param after the row of the second run
     */
    public record Change(String subject, Row before, Row after) {
        private static final double NOTHING = 1.1;
        private static final int ENOUGH = 3;

        /**
         * Returns the ratio of the medians.
         *
         * @return the median of the second run, divided by that of the first run
         */
        public double ratio() {
            return after.samples().median() / before.samples().median();
        }

        /**
         * Returns the smallest ratio of any two samples.
         *
         * @return the smallest sample of the second run, divided by the largest one of the first run
         */
        public double low() {
            return after.samples().low() / before.samples().high();
        }

        /**
         * Returns the largest ratio of any two samples.
         *
         * @return the largest sample of the second run, divided by the smallest one of the first run
         */
        public double high() {
            return after.samples().high() / before.samples().low();
        }

        /**
         * Returns the verdict.
         *
         * @return the verdict
         */
        public Verdict verdict() {
            if (Math.min(before.samples().values().size(), after.samples().values().size()) < ENOUGH) {
                return Verdict.UNKNOWN;
            }
            var more = low() > 1 && ratio() > NOTHING;
            var less = high() < 1 && ratio() < 1 / NOTHING;
            if (!more && !less) {
                return Verdict.SAME;
            }
            return more == (after.unit().better() == Better.HIGHER) ? Verdict.BETTER : Verdict.WORSE;
        }
    }

    /**
     * Compares two runs.
     *
     * @param before the first run
     * @param after the second run
     * @return the changes
     */
    public static Comparison of(Results before, Results after) {
        var old = bySubject(before);
        var now = bySubject(after);
        var changes = new ArrayList<Change>();
        old.forEach((subject, row) -> {
            var later = now.get(subject);
            if (later != null) {
                changes.add(new Change(subject, row, later));
            }
        });
        return new Comparison(List.copyOf(changes), without(old, now), without(now, old),
                warnings(before, after));
    }

    private static List<String> without(Map<String, Row> these, Map<String, Row> those) {
        return these.keySet().stream().filter(subject -> !those.containsKey(subject)).toList();
    }

    private static Map<String, Row> bySubject(Results results) {
        var rows = new LinkedHashMap<String, Row>();
        for (var section : results.sections()) {
            section.rows().forEach(row -> rows.put(
                    section.name() + ": " + row.subject() + " [" + row.unit().name() + "]", row));
        }
        return rows;
    }

    private static List<String> warnings(Results before, Results after) {
        var warnings = new ArrayList<String>();
        if (!before.size().equals(after.size())) {
            warnings.add("one is a %s run, the other a %s run".formatted(before.size(), after.size()));
        }
        for (var field : MUST_BE_THE_SAME) {
            var old = String.valueOf(before.machine().get(field));
            var now = String.valueOf(after.machine().get(field));
            if (!old.equals(now)) {
                warnings.add("not the same %s: %s, then %s".formatted(field, old, now));
            }
        }
        return List.copyOf(warnings);
    }

    /**
     * Tells whether a line has become worse.
     *
     * @return true if at least one verdict is that a line is worse
     */
    public boolean isWorse() {
        return changes.stream().anyMatch(change -> change.verdict() == Verdict.WORSE);
    }
}
