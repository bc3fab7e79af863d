package io.fibry.work;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * Makes values for a {@link Reserve}. The actor of the reserve calls it, one call after the other. It may block.
 *
 * @param <T> type of the values
 */
@FunctionalInterface
public interface Refill<T> {
    /**
     * Makes values.
     *
     * @param missing how many values the reserve has room for, at least one
     * @return from one to {@code missing} values; if they are fewer, the next call follows. No value at all, a {@code null},
     *     and values beyond {@code missing} are a failure.
     * @throws Exception if it fails; the actor reports that
     */
    Collection<? extends T> values(int missing) throws Exception;

    /**
     * Returns a refill that makes one value at a time. A thread that waits for a value gets it as soon as it is there.
     *
     * @param <T> type of the values
     * @param maker makes one value
     * @return the refill
     */
    static <T> Refill<T> each(Callable<? extends T> maker) {
        Objects.requireNonNull(maker, "maker");
        return missing -> List.of(Objects.requireNonNull(maker.call(), "the value of a reserve"));
    }
}
