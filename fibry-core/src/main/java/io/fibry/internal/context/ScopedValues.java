package io.fibry.internal.context;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * The public methods of {@code java.lang.ScopedValue}, a class that the oldest supported version of Java does not have.
 * The methods are looked up once; the calls are those that the compiler would generate.
 */
final class ScopedValues {
    private static final @Nullable Class<?> TYPE = type();
    private static final @Nullable MethodHandle IS_BOUND = find("isBound", boolean.class);
    private static final @Nullable MethodHandle VALUE = find("get", Object.class);
    private static final @Nullable MethodHandle RUN_WHERE = runWhere();

    private ScopedValues() {
    }

    private static @Nullable Class<?> type() {
        try {
            return Class.forName("java.lang.ScopedValue");
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static @Nullable MethodHandle find(String name, Class<?> result) {
        try {
            return TYPE == null ? null
                    : MethodHandles.publicLookup().findVirtual(TYPE, name, MethodType.methodType(result))
                            .asType(MethodType.methodType(result, Object.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** {@code ScopedValue.where(scopedValue, value).run(code)}. */
    private static @Nullable MethodHandle runWhere() {
        try {
            if (TYPE == null) {
                return null;
            }
            var lookup = MethodHandles.publicLookup();
            var carrier = Class.forName("java.lang.ScopedValue$Carrier");
            var where = lookup.findStatic(TYPE, "where", MethodType.methodType(carrier, TYPE, Object.class));
            var run = lookup.findVirtual(carrier, "run", MethodType.methodType(void.class, Runnable.class));
            return MethodHandles.collectArguments(run, 0, where)
                    .asType(MethodType.methodType(void.class, Object.class, Object.class, Runnable.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static void require(Object scopedValue) {
        if (TYPE == null) {
            throw new IllegalArgumentException("Java " + Runtime.version().feature()
                    + " has no ScopedValue, so this is none: an object of " + scopedValue.getClass().getName()
                    + "; use Java 25, or ContextCarrier.scoped");
        }
        if (!TYPE.isInstance(scopedValue)) {
            throw new IllegalArgumentException("this is no ScopedValue but an object of "
                    + scopedValue.getClass().getName()
                    + "; for a thread-local use ContextCarrier.of, for anything else ContextCarrier.scoped");
        }
    }

    static boolean isBound(Object scopedValue) {
        try {
            return (boolean) handle(IS_BOUND).invokeExact(scopedValue);
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    static @Nullable Object value(Object scopedValue) {
        try {
            return (Object) handle(VALUE).invokeExact(scopedValue);
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    static void runWhere(Object scopedValue, @Nullable Object value, Runnable code) {
        try {
            handle(RUN_WHERE).invokeExact(scopedValue, value, code);
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    private static MethodHandle handle(@Nullable MethodHandle found) {
        if (found == null) {
            throw new AssertionError("nobody has a ScopedValue");
        }
        return found;
    }

    /** Returns or throws a failure as it is: none of these methods throws a checked exception. */
    private static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (RuntimeException) failure;
    }
}
