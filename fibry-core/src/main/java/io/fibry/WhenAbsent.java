package io.fibry;

/** Decides what happens to a message to a name if there is no actor of that name yet. */
public sealed interface WhenAbsent {
    /**
     * Returns the choice to refuse the message.
     *
     * @return the choice
     */
    static WhenAbsent refuse() {
        return new Refuse();
    }

    /**
     * Returns the choice to keep the message for the actor that will be made with the name.
     *
     * @param bound how many messages may be kept for the name; further messages are refused
     * @return the choice
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
     * @param bound how many messages may be kept for one name, at least one
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
