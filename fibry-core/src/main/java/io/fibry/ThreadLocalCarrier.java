package io.fibry;

import org.jspecify.annotations.Nullable;

/** Carries the value of a thread-local variable. */
record ThreadLocalCarrier<T>(ThreadLocal<T> variable) implements ContextCarrier {
    @Override
    public Captured capture() {
        var taken = variable.get();
        return new Taken<>(this, taken);
    }

    private record Taken<T>(ThreadLocalCarrier<T> carrier, @Nullable T value) implements Captured {
        @Override
        public Runnable restore() {
            var before = carrier.variable.get();
            carrier.set(value);
            return new Before<>(carrier, before);
        }
    }

    private record Before<T>(ThreadLocalCarrier<T> carrier, @Nullable T value) implements Runnable {
        @Override
        public void run() {
            carrier.set(value);
        }
    }

    private void set(@Nullable T value) {
        if (value == null) {
            variable.remove();
        } else {
            variable.set(value);
        }
    }
}
