package io.fibry.flow;

/**
 * Takes the values of a pipeline. It may block and may throw anything.
 *
 * @param <T> type of the values
 */
@FunctionalInterface
public interface StageConsumer<T> {
    /**
     * Takes one value.
     *
     * @param value the value
     * @throws Exception any exception; the options of the stage decide what follows
     */
    void accept(T value) throws Exception;
}
