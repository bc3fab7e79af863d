package io.fibry.topic;

/** The text of a value of the user, for texts of this package. */
final class Shown {
    private static final int LONGEST = 200;

    private Shown() {
    }

    /** Returns the text of a value, cut off if it is long; its class if the text cannot be made. */
    static String of(Object value) {
        try {
            var text = String.valueOf(value.toString());
            return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
        } catch (RuntimeException unreadable) {
            return "an object of " + value.getClass().getName();
        }
    }
}
