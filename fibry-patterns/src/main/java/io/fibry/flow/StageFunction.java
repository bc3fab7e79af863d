package io.fibry.flow;

/**
 * The work of one stage of a pipeline. It may block and may throw anything. A stage with a parallelism of more than one calls it
 * on several threads at a time.
 *
 * @param <T> type of the values that come in
 * @param <U> type of the values that go out
 */
@FunctionalInterface
public interface StageFunction<T, U> {
    /**
     * Handles one value.
     *
     * @param value the value
     * @return what goes to the next stage; not null
     * @throws Exception any exception; the options of the stage decide what follows
     */
    U apply(T value) throws Exception;
}
