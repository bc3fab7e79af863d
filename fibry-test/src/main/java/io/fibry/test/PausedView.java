package io.fibry.test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A view of an object that lets other threads go first around each call. */
record PausedView(TestSchedule schedule, Object object) implements InvocationHandler {
    static <T> T of(TestSchedule schedule, Class<T> type, T object) {
        if (!Objects.requireNonNull(type, "type").isInterface()) {
            throw new IllegalArgumentException(
                    "only an interface can have a view, and " + type.getName() + " is none");
        }
        return type.cast(Proxy.newProxyInstance(type.getClassLoader() != null ? type.getClassLoader()
                : PausedView.class.getClassLoader(), new Class<?>[]{type},
                new PausedView(schedule,
                        Objects.requireNonNull(object, "object"))));
    }

    @Override
    public @Nullable Object invoke(Object view, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class && method.getName().equals("equals")
                && arguments != null) {
            return view == arguments[0] || object.equals(arguments[0]);
        }
        schedule.pause();
        try {
            method.setAccessible(true);
            return method.invoke(object, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        } finally {
            schedule.pause();
        }
    }
}
