package io.fibry.bench.report;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One result: how one peer did one case.
 *
 * @param group the case; empty if the experiment has only one
 * @param peer who did it
 * @param unit what the values are in
 * @param samples the values
 * @param mustBe what must be reached, as {@code <= 100}; empty if nothing must
 * @param article what an article says of it
 */
public record Row(String group, String peer, Unit unit, Samples samples, String mustBe, Article article) {
    /**
     * A result of which nothing is demanded.
     *
     * @param group the case
     * @param peer who did it
     * @param unit what the values are in
     * @param samples the values
     */
    public Row(String group, String peer, Unit unit, Samples samples) {
        this(group, peer, unit, samples, "", Article.NONE);
    }

    /**
     * The same, with what must be reached.
     *
     * @param limit as {@code <= 100} or {@code >= 20}; empty if nothing must
     * @return another row
     */
    public Row withMustBe(String limit) {
        return new Row(group, peer, unit, samples, limit, article);
    }

    /**
     * The same, with an article's figure beside it.
     *
     * @param value the figure, in this row's unit
     * @param says how the article puts it; may be empty
     * @return another row
     */
    public Row withArticle(double value, String says) {
        return new Row(group, peer, unit, samples, mustBe, new Article(value, says));
    }

    /**
     * Case and peer in one.
     *
     * @return the text
     */
    public String subject() {
        return group.isEmpty() ? peer : group + ", " + peer;
    }

    /**
     * Whether the median is what it must be.
     *
     * @return true if so, or if nothing must be reached
     */
    public boolean isAsItMust() {
        if (mustBe.isEmpty()) {
            return true;
        }
        var limit = Double.parseDouble(mustBe.substring(2).replace(",", ""));
        return mustBe.startsWith("<=") ? samples.median() <= limit : samples.median() >= limit;
    }

    /**
     * From the smallest to the largest value.
     *
     * @return the text; empty if there is one value only
     */
    public String spread() {
        return samples.values().size() == 1
                ? ""
                : Figures.number(samples.low()) + " to " + Figures.number(samples.high());
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
