package io.fibry.work;

import org.jspecify.annotations.Nullable;

/**
 * Work that takes long, for which {@link Receipts} give a receipt. It runs in an actor of its own and may block.
 *
 * @param <T> type of the result
 */
@FunctionalInterface
public interface LongWork<T extends @Nullable Object> {
    /**
     * Does the work.
     *
     * @param progress takes how far it is
     * @return the result
     * @throws Exception if it fails
     */
    T run(Progress progress) throws Exception;
}
