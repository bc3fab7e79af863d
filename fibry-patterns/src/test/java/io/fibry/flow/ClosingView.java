package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ScopeBuilder;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;

/** A view of a scope, or of a builder, by which an actor is made and ends with its scope before its maker knows it. */
final class ClosingView {
    private static final Set<Class<?>> VIEWED =
            Set.of(ActorScope.class, ScopeBuilder.class, ActorBuilder.class);

    private ClosingView() {
    }

    /** Returns a view of this type. The scope is closed when an actor has been made by it, or by what comes from it. */
    static <T> T of(ActorScope scope, Class<T> type, Object viewed) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
                (view, method, arguments) -> {
                    Object made;
                    try {
                        made = method.invoke(viewed, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                    if (made instanceof Actor<?, ?>) {
                        scope.close();
                    }
                    var kind = method.getReturnType();
                    return VIEWED.contains(kind) ? of(scope, kind, made) : made;
                }));
    }
}
