package io.fibry.topic;

/**
 * Marks the places where a step of another thread makes a difference, for seeded schedules. A mark is an assertion, so
 * a program without assertions never calls it.
 */
final class TopicMarks {
    /** Set by tests alone. */
    private static volatile Runnable hook = TopicMarks::pass;

    private TopicMarks() {
    }

    private static void pass() {
    }

    /** Lets a schedule switch to another thread; always returns true. */
    static boolean here() {
        hook.run();
        return true;
    }

    /** Sets, for tests, what runs at each mark. */
    static void hook(Runnable newHook) {
        hook = newHook;
    }
}
