package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Article;
import io.fibry.bench.report.Figures;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.util.Set;

/**
 * A line of a report, before it is measured.
 *
 * @param group the case; empty if the experiment has only one
 * @param peer the peer that does it
 * @param measured how to measure it
 * @param sizes the sizes of runs that have it
 * @param mustBe the budget; empty if there is none
 * @param article the figure of an article
 */
record Line(String group, String peer, Measured measured, Set<Size> sizes, String mustBe, Article article) {
    /** A longer pause of the collector is a part of the result. */
    private static final double LONG_PAUSE_MILLIS = 50;

    static Line of(String group, String peer, Measured measured) {
        return new Line(group, peer, measured, Set.of(Size.values()), "", Article.NONE);
    }

    /** Returns the same line for full runs and tests, but not for quick runs. */
    Line notQuick() {
        return in(Size.FULL, Size.SMOKE);
    }

    /** Returns the same line for full and quick runs, but not for tests. */
    Line notSmoke() {
        return in(Size.FULL, Size.QUICK);
    }

    /** Returns the same line for full runs only. */
    Line fullOnly() {
        return in(Size.FULL);
    }

    private Line in(Size... these) {
        return new Line(group, peer, measured, Set.of(these), mustBe, article);
    }

    Line mustBe(String limit) {
        return new Line(group, peer, measured, sizes, limit, article);
    }

    Line article(double value, String says) {
        return new Line(group, peer, measured, sizes, mustBe, new Article(value, says));
    }

    String subject() {
        return group.isEmpty() ? peer : group + ", " + peer;
    }

    Row row(Unit unit, Samples samples) {
        var pause = samples.longestPause();
        return new Row(group, peer, unit, samples, mustBe, article, pause <= LONG_PAUSE_MILLIS
                ? ""
                : "the collector stopped it for " + Figures.number(pause) + " ms");
    }
}
