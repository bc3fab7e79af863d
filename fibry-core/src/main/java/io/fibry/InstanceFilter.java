package io.fibry;

import java.util.function.Predicate;

/** Accepts the instances of a class. */
record InstanceFilter(Class<?> type) implements Predicate<Object> {
    @Override
    public boolean test(Object value) {
        return type.isInstance(value);
    }
}
