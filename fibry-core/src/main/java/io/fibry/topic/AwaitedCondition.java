package io.fibry.topic;

import java.util.Optional;

/** What a waiting actor tests. */
@FunctionalInterface
interface AwaitedCondition<C, T> {
    /** {@return what to complete with; empty if the condition does not hold} */
    Optional<T> test(C change);

    /** {@return what to complete with before any change comes; called once} */
    default Optional<T> present() {
        return Optional.empty();
    }
}
