package io.fibry.codec;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/** A component of a record. */
record RecordPart(String name, Presence presence, ShapeRef type, Method accessor) {
    /** Whether a component may have no value, and what it is then. */
    enum Presence {
        REQUIRED, NULLABLE, OPTIONAL
    }

    String label() {
        return type.label() + (presence == Presence.REQUIRED ? "" : "?");
    }

    void write(CborOutput out, Object of) {
        var value = value(of);
        if (value == null && presence != Presence.NULLABLE) {
            throw new Fault("is null: annotate its type @Nullable, or use Optional");
        }
        if (value instanceof Optional<?> optional) {
            value = optional.orElse(null);
        }
        if (value == null) {
            return;
        }
        out.tokens.writeName(name);
        try {
            type.shape().write(out, value);
        } catch (ClassCastException e) {
            throw new Fault("is of " + value.getClass().getName() + ", not of " + type.label(), e);
        }
    }

    private @Nullable Object value(Object of) {
        try {
            return accessor.invoke(of);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new Fault("its accessor threw " + e.getCause(), e.getCause());
        } catch (IllegalAccessException e) {
            throw new Fault("it cannot be read: " + e, e);
        }
    }

    @Nullable Object read(CborInput in) {
        if (in.tokens.currentToken() == JsonToken.VALUE_NULL) {
            return switch (presence) {
                case REQUIRED -> throw new Fault(
                        "is null in the bytes: only components that are Optional or @Nullable may be");
                case NULLABLE -> null;
                case OPTIONAL -> Optional.empty();
            };
        }
        var value = type.shape().read(in);
        return presence == Presence.OPTIONAL ? Optional.of(value) : value;
    }

    @Nullable Object missing(String record) {
        return switch (presence) {
            case REQUIRED -> throw new Fault("is missing in the bytes of a " + record
                    + ": a component that was added must be Optional or @Nullable, or an Upcaster must give it")
                    .within(name);
            case NULLABLE -> null;
            case OPTIONAL -> Optional.empty();
        };
    }
}
