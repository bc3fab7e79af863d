package io.fibry.bench.report;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One result: the values of one peer for one case.
 *
 * @param group the case; empty if the experiment has only one
 * @param peer who did it
 * @param unit what the values are in
 * @param samples the values
 * @param mustBe the budget, for example {@code <= 100}; empty if there is none
 * @param article the figure of an article
 * @param remark what a reader of the figures has to know; empty if there is nothing
 */
public record Row(String group, String peer, Unit unit, Samples samples, String mustBe, Article article,
        String remark) {
    /** Results of earlier versions have no remark. */
    public Row {
        remark = remark == null ? "" : remark;
    }

    /**
     * Makes a result without a budget.
     *
     * @param group the case
     * @param peer who did it
     * @param unit what the values are in
     * @param samples the values
     */
    public Row(String group, String peer, Unit unit, Samples samples) {
        this(group, peer, unit, samples, "", Article.NONE, "");
    }

    /**
     * Returns the same result with a budget.
     *
     * @param limit the budget, as {@code <= 100} or {@code >= 20}; empty if there is none
     * @return another row
     */
    public Row withMustBe(String limit) {
        return new Row(group, peer, unit, samples, limit, article, remark);
    }

    /**
     * Returns the same result with the figure of an article.
     *
     * @param value the figure, in this row's unit
     * @param says the figure as the article gives it; may be empty
     * @return another row
     */
    public Row withArticle(double value, String says) {
        return new Row(group, peer, unit, samples, mustBe, new Article(value, says), remark);
    }

    /**
     * Returns the case and the peer as one text.
     *
     * @return the text
     */
    public String subject() {
        return group.isEmpty() ? peer : group + ", " + peer;
    }

    /**
     * Tells whether the median meets the budget.
     *
     * @return true if it does, or if there is no budget
     */
    public boolean isAsItMust() {
        if (mustBe.isEmpty()) {
            return true;
        }
        var limit = Double.parseDouble(mustBe.substring(2).replace(",", ""));
        return mustBe.startsWith("<=") ? samples.median() <= limit : samples.median() >= limit;
    }

    /**
     * Returns the range from the smallest to the largest value as text, and the remark.
     *
     * @return the text; empty if there is one value only, and no remark
     */
    public String spread() {
        var range = samples.values().size() == 1
                ? ""
                : Figures.number(samples.low()) + " to " + Figures.number(samples.high());
        return range + (range.isEmpty() || remark.isEmpty() ? "" : "; ") + remark;
    }

    @JsonProperty(value = "median", access = JsonProperty.Access.READ_ONLY)
    double median() {
        return samples.median();
    }

    @JsonProperty(value = "low", access = JsonProperty.Access.READ_ONLY)
    double low() {
        return samples.low();
    }

    @JsonProperty(value = "high", access = JsonProperty.Access.READ_ONLY)
    double high() {
        return samples.high();
    }

    @JsonProperty(value = "medianDeviation", access = JsonProperty.Access.READ_ONLY)
    double deviation() {
        return samples.deviation();
    }
}
