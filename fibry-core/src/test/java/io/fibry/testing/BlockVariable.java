package io.fibry.testing;

import io.fibry.ContextCarrier;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Callable;

/** A variable that is bound to blocks of code: Java's, where that has it, or one of these tests. */
public interface BlockVariable {
    /** What is bound here; null if nothing is. */
    String value();

    ContextCarrier carrier();

    void run(String value, Runnable code);

    /** Runs code with a value bound, or none if it is null: then as it is. */
    default <T> T where(String value, Callable<T> code) throws Exception {
        if (value == null) {
            return code.call();
        }
        var result = new Object() {
            T value;
            Exception failure;
        };
        run(value, () -> {
            try {
                result.value = code.call();
            } catch (Exception e) {
                result.failure = e;
            }
        });
        if (result.failure != null) {
            throw result.failure;
        }
        return result.value;
    }

    /** Java's own, if this Java has it, and one that has nothing of Java's. */
    static java.util.List<BlockVariable> all() {
        return JavaScoped.EXISTS ? java.util.List.of(new JavaScoped(), new Made())
                : java.util.List.of(new Made());
    }

    /** Bound as a {@code ScopedValue} is, and as hard to get rid of. */
    final class Made implements BlockVariable {
        private final ThreadLocal<String> bound = new ThreadLocal<>();

        @Override
        public String value() {
            return bound.get();
        }

        @Override
        public ContextCarrier carrier() {
            return ContextCarrier.scoped(() -> bound.get() != null, bound::get, this::run);
        }

        @Override
        public void run(String value, Runnable code) {
            var before = bound.get();
            bound.set(value);
            try {
                code.run();
            } finally {
                bound.set(before);
                if (before == null) {
                    bound.remove();
                }
            }
        }

        @Override
        public String toString() {
            return "made here";
        }
    }

    /** A {@code ScopedValue}, which the Java that these tests are compiled for does not have. */
    final class JavaScoped implements BlockVariable {
        static final boolean EXISTS = exists();

        private final Object scoped;

        JavaScoped() {
            try {
                scoped = MethodHandles.publicLookup()
                        .findStatic(type(""), "newInstance", MethodType.methodType(type("")))
                        .invoke();
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        private static boolean exists() {
            try {
                return type("") != null;
            } catch (ClassNotFoundException e) {
                return false;
            }
        }

        private static Class<?> type(String inside) throws ClassNotFoundException {
            return Class.forName("java.lang.ScopedValue" + inside);
        }

        private static MethodHandle method(Class<?> owner, String name, Class<?> result,
                Class<?>... parameters)
                throws ReflectiveOperationException {
            return MethodHandles.publicLookup().findVirtual(owner, name,
                    MethodType.methodType(result, parameters));
        }

        @Override
        public String value() {
            try {
                return (boolean) method(type(""), "isBound", boolean.class).invoke(scoped)
                        ? (String) method(type(""), "get", Object.class).invoke(scoped)
                        : null;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public ContextCarrier carrier() {
            return ContextCarrier.ofScopedValue(scoped);
        }

        @Override
        public void run(String value, Runnable code) {
            try {
                var where = MethodHandles.publicLookup().findStatic(type(""), "where",
                        MethodType.methodType(type("$Carrier"), type(""), Object.class));
                method(type("$Carrier"), "run", void.class, Runnable.class)
                        .invoke(where.invoke(scoped, value), code);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public String toString() {
            return "ScopedValue";
        }
    }
}
