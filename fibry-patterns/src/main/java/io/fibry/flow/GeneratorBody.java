package io.fibry.flow;

/**
 * The code of a producer: a plain loop that yields values. It may block, and may throw anything.
 *
 * @param <T> type of the values
 */
@FunctionalInterface
public interface GeneratorBody<T> {
    /**
     * Makes the values. When this method returns, the producer has ended.
     *
     * @param output takes the values
     * @throws Exception any exception; the consumer gets it after the values that were yielded before
     */
    void run(GeneratorOutput<T> output) throws Exception;
}
