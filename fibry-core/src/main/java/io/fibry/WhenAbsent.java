package io.fibry;

/** What becomes of a message to a name that no actor has yet. */
public sealed interface WhenAbsent {
    /**
     * Refuses it.
     *
     * @return the choice to refuse
     */
    static WhenAbsent refuse() {
        return new Refuse();
    }

    /**
     * Keeps it for the actor that will be made under the name.
     *
     * @param bound how many messages may be kept for that name; one more is refused
     * @return the choice to keep
     */
    static WhenAbsent keep(int bound) {
        return new Keep(bound);
    }

    /** The message is refused. */
    record Refuse() implements WhenAbsent {
    }

    /**
     * The message is kept.
     *
     * @param bound how many may be kept for one name, at least one
     */
    record Keep(int bound) implements WhenAbsent {
        /**
         * Checks the bound.
         *
         * @param bound at least one
         */
        public Keep {
            if (bound < 1) {
                throw new IllegalArgumentException("bound must be at least 1: " + bound);
            }
        }
    }
}
