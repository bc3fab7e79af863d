package io.fibry.bench.report;

/**
 * The figure of an article for the same thing, on another machine and an older JDK. Fibry starts from these articles.
 *
 * @param value the figure in the unit of the row; 0 if the article has none
 * @param says the figure as the article gives it; empty if the article has none
 */
public record Article(double value, String says) {
    /** Stands for no figure. */
    public static final Article NONE = new Article(0, "");

    /**
     * Tells whether there is a figure.
     *
     * @return true if there is a figure
     */
    public boolean isThere() {
        return value > 0;
    }

    /**
     * Returns the text for tables.
     *
     * @return the value, and the figure as the article gives it, if it differs
     */
    public String asText() {
        if (!isThere()) {
            return "";
        }
        return Figures.number(value) + (says.isEmpty() ? "" : " (" + says + ")");
    }
}
