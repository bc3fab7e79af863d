package io.fibry.flow;

import io.fibry.CreationStrategy;

/**
 * What seeded schedules of tests change: the places where a step of another thread makes a difference, and the threads of a
 * pipeline's own actors. A mark is an assertion, so a program without assertions never calls it.
 */
final class Marks {
    /** Set by tests alone. */
    private static volatile Runnable hook = Marks::pass;
    /** Set by tests alone. */
    private static volatile CreationStrategy threads = CreationStrategy.fibers();

    private Marks() {
    }

    private static void pass() {
    }

    /** Lets a schedule switch to another thread; always returns true. */
    static boolean here() {
        hook.run();
        return true;
    }

    /** Returns the strategy of actors that call what may block: fibers. */
    static CreationStrategy threads() {
        return threads;
    }

    /** Sets, for tests, the strategy of those that are made from now on. */
    static void threads(CreationStrategy strategy) {
        threads = strategy;
    }

    /** Sets, for tests, what runs at each mark. */
    static void hook(Runnable newHook) {
        hook = newHook;
    }
}
