package io.fibry;

import org.jspecify.annotations.Nullable;

/** Carries the value of a thread-local variable. */
record ThreadLocalCarrier<T>(ThreadLocal<T> variable) implements ContextCarrier {
    @Override
    public Captured capture() {
        var taken = variable.get();
        return () -> {
            var before = variable.get();
            set(taken);
            return () -> set(before);
        };
    }

    private void set(@Nullable T value) {
        if (value == null) {
            variable.remove();
        } else {
            variable.set(value);
        }
    }
}
