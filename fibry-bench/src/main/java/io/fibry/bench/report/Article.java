package io.fibry.bench.report;

/**
 * What an article that Fibry starts from says of the same thing, on another machine and an older JDK.
 *
 * @param value in the unit of the row; 0 if the article says nothing of it
 * @param says the article's own figure; empty if it says nothing of it
 */
public record Article(double value, String says) {
    /** It says nothing of it. */
    public static final Article NONE = new Article(0, "");

    /**
     * Whether there is something to compare with.
     *
     * @return true if so
     */
    public boolean isThere() {
        return value > 0;
    }

    /**
     * As it is shown in tables.
     *
     * @return the value, and the article's own figure if that is another
     */
    public String asText() {
        if (!isThere()) {
            return "";
        }
        return Figures.number(value) + (says.isEmpty() ? "" : " (" + says + ")");
    }
}
