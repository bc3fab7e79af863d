package io.fibry.flow;

import java.time.Duration;

/** Checks deadlines before anything has changed. */
final class DeadlineCheck {
    private DeadlineCheck() {
    }

    static void check(Duration deadline) {
        if (deadline.isNegative()) {
            throw new IllegalArgumentException("deadline must not be negative: " + deadline);
        }
    }
}
