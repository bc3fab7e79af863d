package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.Stereotypes;
import io.fibry.keyed.KeyedBuilder;
import io.fibry.time.Schedule;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.lang.reflect.TypeVariable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Finds by itself where the public types of a module take null, and where not: there it is refused at once, with a text. */
public abstract class NullChecks {
    /** The JDK's, and what users implement and the library calls. */
    private static final Set<String> OTHERS = Set.of("equals", "executorFor");

    private final Map<Class<?>, Object> samples = new HashMap<>();
    private final Set<String> wrong = new TreeSet<>();
    private final Set<String> called = new TreeSet<>();

    /** The types that are looked at. */
    protected abstract List<Class<?>> types() throws Exception;

    /** What the library makes and users read; with what is inside them. */
    protected abstract Set<Class<?>> reports();

    /** Puts one of each type that a parameter may have. */
    protected abstract void fill(ActorScope scope);

    /** How many places are looked at, at least: a search that finds nothing proves nothing. */
    protected abstract int least();

    @Test
    void nullIsRefusedWhereItMeansNothing() throws Exception {
        try (var scope = ActorSystem.configure("nulls").listener(event -> {
        }).closeTimeout(Duration.ofSeconds(5)).open()) {
            fillUsual(scope);
            fill(scope);
            for (var type : types()) {
                for (var method : type.getDeclaredMethods()) {
                    if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()
                            && !OTHERS.contains(method.getName())) {
                        check(type, method);
                    }
                }
                // Of what users make: failures, reports and events are the library's to make.
                for (var constructor : type.getConstructors()) {
                    if (!Throwable.class.isAssignableFrom(type)
                            && !reports().contains(type.getNestHost())) {
                        check(type, constructor);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(called).as("what was tried").hasSizeGreaterThan(least());
    }

    private void fillUsual(ActorScope scope) {
        var builder = scope.anonymous();
        put(String.class, "sample");
        put(Object.class, "sample");
        put(Duration.class, Duration.ofSeconds(1));
        put(Instant.class, Instant.EPOCH);
        put(int.class, 1);
        put(long.class, 1L);
        put(double.class, 0.5);
        put(boolean.class, false);
        put(Class.class, String.class);
        put(Optional.class, Optional.empty());
        put(OptionalInt.class, OptionalInt.empty());
        put(List.class, List.of());
        put(Set.class, Set.of());
        put(Map.class, Map.of());
        put(Throwable.class, new IllegalStateException());
        put(ActorBuilder.class, builder);
        put(ActorScope.class, scope);
        put(io.fibry.StatefulActorBuilder.class, builder.state(() -> 1));
        put(io.fibry.ScopeBuilder.class, ActorSystem.configure("other"));
        put(io.fibry.Actor.class, builder.newActor((Integer n) -> {
        }));
        put(io.fibry.ActorGroup.class, builder.newGroup(GroupPolicy.oneForOne()));
        put(Stereotypes.class, Stereotypes.with(builder));
        put(KeyedBuilder.class, builder.<Integer, Integer>keyed(n -> n));
        put(io.fibry.keyed.KeyedActors.class, builder.<Integer, Integer>keyed(n -> n)
                .newActorsFrom(key -> (context, n) -> {
                }));
        put(ScopeLimits.class, ScopeLimits.none());
        put(GroupPolicy.class, GroupPolicy.oneForOne());
        put(java.time.DayOfWeek.class, java.time.DayOfWeek.MONDAY);
        put(java.time.LocalTime.class, java.time.LocalTime.NOON);
        put(java.time.ZoneId.class, java.time.ZoneOffset.UTC);
        put(Schedule.class, Schedule.once(Duration.ofHours(1)));
        put(MailboxPolicy.class, MailboxPolicy.unbounded());
        put(OverflowPolicy.class, OverflowPolicy.reject());
        put(FailurePolicy.class, FailurePolicy.resume());
        put(FailurePolicy.Backoff.class, new FailurePolicy.Backoff(Duration.ZERO, Duration.ZERO, 0));
        put(FailurePolicy.Restart.class, FailurePolicy.restart());
        put(MailboxPolicy.Bounded.class, MailboxPolicy.bounded(1, OverflowPolicy.reject()));
        put(io.fibry.ActorName.class, io.fibry.ActorName.of("sample name"));
        put(java.util.Collection.class, List.of());
        put(io.fibry.Reply.class, io.fibry.Reply.none());
        put(CreationStrategy.class, CreationStrategy.fibers());
        put(io.fibry.time.ManualTime.class, new io.fibry.time.ManualTime());
    }

    protected final void put(Class<?> type, Object sample) {
        samples.put(type, sample);
    }

    private void check(Class<?> type, Executable method) throws Exception {
        var isStatic = Modifier.isStatic(method.getModifiers()) || method instanceof Constructor<?>;
        // What users implement is theirs; what exists only inside a handler has tests of its own.
        if (!isStatic && samples.get(type) == null) {
            return;
        }
        var parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            if (!mayBeNull(parameters[i])) {
                refuses(isStatic ? null : samples.get(type), method, i);
            }
        }
    }

    private static boolean mayBeNull(Parameter parameter) {
        var mark = parameter.getAnnotatedType();
        return parameter.getType().isPrimitive() || has(mark, Nullable.class)
                || (parameter.getParameterizedType() instanceof TypeVariable<?> variable
                        && Arrays.stream(variable.getAnnotatedBounds())
                                .anyMatch(b -> has(b, Nullable.class)));
    }

    private static boolean has(AnnotatedElement element, Class<? extends Annotation> mark) {
        return element.isAnnotationPresent(mark);
    }

    private void refuses(@Nullable Object receiver, Executable method, int position) throws Exception {
        var arguments = new ArrayList<@Nullable Object>();
        for (var each : method.getParameterTypes()) {
            arguments.add(arguments.size() == position ? null : sample(each));
        }
        var text = method.toGenericString() + ", parameter " + (position + 1);
        called.add(text);
        try {
            if (method instanceof Constructor<?> constructor) {
                constructor.newInstance(arguments.toArray());
            } else {
                ((Method) method).invoke(receiver, arguments.toArray());
            }
            wrong.add("takes null: " + text);
        } catch (InvocationTargetException e) {
            var cause = e.getCause();
            if (!(cause instanceof NullPointerException) || cause.getMessage() == null
                    || cause.getMessage().startsWith("Cannot ")) {
                wrong.add("throws " + cause + ": " + text);
            }
        } catch (IllegalArgumentException e) {
            wrong.add("no sample, " + e.getMessage() + ": " + text);
        }
    }

    private @Nullable Object sample(Class<?> type) {
        var known = samples.get(type);
        if (known != null || !type.isInterface() && !type.isEnum()) {
            return known;
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        if (type.isSealed()) {
            return null;
        }
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
                (proxy, method, args) -> null);
    }
}
