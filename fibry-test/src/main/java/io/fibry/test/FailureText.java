package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.dump.DumpOptions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The text of an error: what was expected, what came, how long the test has waited, and what the actors do. */
final class FailureText {
    private static final int MOST = 20;
    private static final int LONGEST = 200;
    private static final DumpOptions DUMP = DumpOptions.defaults().withActors(20).withFrames(8);

    private final StringBuilder text = new StringBuilder();

    FailureText(String what) {
        text.append(what);
    }

    FailureText line(String line) {
        text.append("\n  ").append(line);
        return this;
    }

    /** Adds a list of things: the last ones, if there are many. */
    FailureText list(String title, List<?> items) {
        if (items.isEmpty()) {
            return line(title + ": nothing");
        }
        line(title + ":");
        var from = Math.max(0, items.size() - MOST);
        if (from > 0) {
            text.append("\n    ").append("(").append(from).append(" more before)");
        }
        for (var item : items.subList(from, items.size())) {
            text.append("\n    ").append(of(item));
        }
        return this;
    }

    FailureText dump(ActorScope scope) {
        text.append("\n").append(scope.dump(DUMP).text());
        return this;
    }

    AssertionError error() {
        return new AssertionError(text.toString());
    }

    AssertionError error(Throwable cause) {
        return new AssertionError(text.toString(), cause);
    }

    @Override
    public String toString() {
        return text.toString();
    }

    /** Returns the text of something of a test, whose {@code toString} may throw, or return null or a lot. */
    static String of(@Nullable Object item) {
        String its;
        try {
            its = Objects.toString(Objects.toString(item));
        } catch (Throwable unreadable) {
            its = Objects.requireNonNull(item).getClass().getName() + ", whose toString() throws "
                    + unreadable.getClass().getName();
        }
        return its.length() <= LONGEST ? its
                : its.substring(0, LONGEST) + "… (" + its.length() + " characters)";
    }
}
