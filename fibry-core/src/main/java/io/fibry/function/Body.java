package io.fibry.function;

/** A piece of code that may block and may throw anything. */
@FunctionalInterface
public interface Body {
    /**
     * Runs the code.
     *
     * @throws Exception any exception
     */
    void run() throws Exception;
}
