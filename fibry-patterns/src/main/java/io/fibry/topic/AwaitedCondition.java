package io.fibry.topic;

import java.util.Optional;

/** What a waiting actor tests. */
@FunctionalInterface
interface AwaitedCondition<C, T> {
    /** {@return what to complete with; empty if the condition does not hold} */
    Optional<T> test(C change);

    /** {@return what to complete with without a change; empty if only a change can tell} */
    default Optional<T> present() {
        return Optional.empty();
    }
}
