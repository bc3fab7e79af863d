package io.fibry.dump;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A handler that runs, or waits in the middle of its code.
 *
 * @param message the class of its message, if it is known: only a watchdog, and an actor that handles messages side by
 *     side, note it
 * @param lasts how long the handler has worked on that message at least, if an earlier look saw it
 * @param thread the name of the thread; empty if the thread is not known, or has none
 * @param threadState the state of the thread, as {@link Thread#getState} returns it; empty if the thread is not known
 * @param stack the stack of the thread from the top; empty if it was not to be read, or if the thread is not known
 */
public record Work(Optional<String> message, Optional<Duration> lasts, String thread,
        Optional<Thread.State> threadState, List<StackTraceElement> stack) {
    /**
     * Copies the stack.
     *
     * @param message the class of its message
     * @param lasts how long it has lasted
     * @param thread the name of the thread
     * @param threadState the state of the thread
     * @param stack the stack of the thread
     */
    public Work {
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(lasts, "lasts");
        Objects.requireNonNull(thread, "thread");
        Objects.requireNonNull(threadState, "threadState");
        stack = List.copyOf(stack);
    }
}
