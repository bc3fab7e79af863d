package io.fibry.flow;

import java.time.Duration;
import java.util.Objects;

/** Checks deadlines before anything has changed. */
final class DeadlineCheck {
    private DeadlineCheck() {
    }

    static void check(Duration deadline) {
        if (Objects.requireNonNull(deadline, "deadline").isNegative()) {
            throw new IllegalArgumentException("deadline must not be negative: " + deadline);
        }
    }
}
