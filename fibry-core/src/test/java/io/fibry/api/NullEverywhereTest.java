package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.Bulkhead;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.Stereotypes;
import io.fibry.StopReport;
import io.fibry.WhenAbsent;
import io.fibry.architecture.MainCode;
import io.fibry.files.DirectoryWatchOptions;
import io.fibry.flow.FlowOptions;
import io.fibry.flow.PipelineProgress;
import io.fibry.flow.StageOptions;
import io.fibry.flow.StageProgress;
import io.fibry.fsm.MachineEvent;
import io.fibry.fsm.MachineOptions;
import io.fibry.keyed.KeyedOptions;
import io.fibry.message.BatchOptions;
import io.fibry.message.MessageFate;
import io.fibry.message.SendSite;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.pool.WorkerState;
import io.fibry.time.RateLimit;
import io.fibry.time.Schedule;
import io.fibry.topic.ChatEvent;
import io.fibry.topic.ChatRoom;
import io.fibry.topic.ChatRoomOptions;
import io.fibry.topic.ObservableMap;
import io.fibry.topic.ObservableOptions;
import io.fibry.topic.ObservableValue;
import io.fibry.topic.ObserverOptions;
import io.fibry.topic.Publication;
import io.fibry.topic.SubscriberOptions;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import io.fibry.topic.Topics;
import io.fibry.work.ActorSemaphore;
import io.fibry.work.BreakerOptions;
import io.fibry.work.BreakerReport;
import io.fibry.work.BreakerWindow;
import io.fibry.work.CircuitBreaker;
import io.fibry.work.Hedge;
import io.fibry.work.HedgeOptions;
import io.fibry.work.RateLimiter;
import io.fibry.work.RateLimiterOptions;
import io.fibry.work.ReceiptOptions;
import io.fibry.work.ReceiptState;
import io.fibry.work.Receipts;
import io.fibry.work.ReserveOptions;
import io.fibry.work.Retry;
import io.fibry.work.RetryOptions;
import io.fibry.work.SemaphoreOptions;
import io.fibry.work.Transactions;
import io.fibry.work.WorkEvent;
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
import java.nio.file.Path;
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

/** Finds by itself where null may be given, and where not: there it is refused at once, with a text. */
class NullEverywhereTest {
    /** Servers and what belongs to them have tests of their own. */
    private static final Set<String> PACKAGES =
            Set.of("io.fibry", "io.fibry.files", "io.fibry.flow", "io.fibry.fsm", "io.fibry.function",
                    "io.fibry.keyed",
                    "io.fibry.message", "io.fibry.pool", "io.fibry.text", "io.fibry.time", "io.fibry.topic",
                    "io.fibry.work");

    /** What the library makes and users read; with what is inside them. */
    private static final Set<Class<?>> REPORTS =
            Set.of(StopReport.class, BreakerReport.class, ChatEvent.class,
                    MachineEvent.class, MessageFate.class, PipelineProgress.class, Publication.class,
                    ReceiptState.class,
                    SendSite.class, StageProgress.class, WorkEvent.class);

    /** The JDK's, and what users implement and the library calls. */
    private static final Set<String> OTHERS = Set.of("equals", "executorFor");

    private final Map<Class<?>, Object> samples = new HashMap<>();
    private final Set<String> wrong = new TreeSet<>();
    private final Set<String> called = new TreeSet<>();

    @Test
    void nullIsRefusedWhereItMeansNothing() throws Exception {
        try (var scope = ActorScope.configure("nulls").listener(event -> {
        }).closeTimeout(Duration.ofSeconds(5)).open()) {
            fill(scope);
            fillPatterns(scope);
            for (var type : MainCode.exportedTypes()) {
                if (PACKAGES.contains(type.getPackageName())) {
                    for (var method : type.getDeclaredMethods()) {
                        if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()
                                && !OTHERS.contains(method.getName())) {
                            check(type, method);
                        }
                    }
                    // Of what users make: failures, reports and events are the library's to make.
                    for (var constructor : type.getConstructors()) {
                        if (!Throwable.class.isAssignableFrom(type)
                                && !REPORTS.contains(type.getNestHost())) {
                            check(type, constructor);
                        }
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(called).as("what was tried").hasSizeGreaterThan(350);
    }

    private void fill(ActorScope scope) {
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
        put(io.fibry.ScopeBuilder.class, ActorScope.configure("other"));
        put(io.fibry.Actor.class, builder.newActor((Integer n) -> {
        }));
        put(io.fibry.ActorGroup.class, builder.newGroup(GroupPolicy.oneForOne()));
        put(io.fibry.time.Scheduler.class, scope.scheduler());
        put(Stereotypes.class, Stereotypes.with(builder));
        put(io.fibry.keyed.KeyedActors.class, Stereotypes.with(builder)
                .<Integer, Integer>keyed(n -> n, key -> (context, n) -> {
                }));
        put(Bulkhead.class, Bulkhead.of("sample", 1, 1));
        put(ScopeLimits.class, ScopeLimits.none());
        put(GroupPolicy.class, GroupPolicy.oneForOne());
        put(KeyedOptions.class, KeyedOptions.idle(Duration.ofMinutes(1)));
        put(RateLimit.class, RateLimit.of(1, Duration.ofSeconds(1)));
        put(Schedule.class, Schedule.once(Duration.ofHours(1)));
        put(MailboxPolicy.class, MailboxPolicy.unbounded());
        put(OverflowPolicy.class, OverflowPolicy.reject());
        put(FailurePolicy.class, FailurePolicy.resume());
        put(FailurePolicy.Backoff.class, new FailurePolicy.Backoff(Duration.ZERO, Duration.ZERO, 0));
        put(FailurePolicy.Restart.class, FailurePolicy.restart());
        put(MailboxPolicy.Bounded.class, MailboxPolicy.bounded(1, OverflowPolicy.reject()));
        put(WhenAbsent.class, WhenAbsent.refuse());
        put(io.fibry.ActorName.class, io.fibry.ActorName.of("sample name"));
        put(java.util.Collection.class, List.of());
        put(io.fibry.AskAll.class, io.fibry.Actors.askAll(List.<io.fibry.Actor<Integer, Integer>>of(), 1));
        put(io.fibry.Reply.class, io.fibry.Reply.none());
        put(CreationStrategy.class, CreationStrategy.fibers());
        put(io.fibry.time.ManualTime.class, new io.fibry.time.ManualTime());
    }

    /** What the packages of patterns have, one of each, and options for it. */
    private void fillPatterns(ActorScope scope) {
        var second = Duration.ofSeconds(1);
        put(BatchOptions.class, BatchOptions.of(1, second));
        put(BreakerWindow.class, BreakerWindow.lastCalls(1));
        put(ChatRoomOptions.class, ChatRoomOptions.defaults());
        put(DirectoryWatchOptions.class, DirectoryWatchOptions.of(Path.of("sample")));
        put(FlowOptions.class, FlowOptions.usual());
        put(HedgeOptions.class, HedgeOptions.after(second));
        put(MachineOptions.class, MachineOptions.standard());
        put(ObservableOptions.class, ObservableOptions.defaults());
        put(ObserverOptions.class, ObserverOptions.defaults());
        put(Path.class, Path.of("sample"));
        put(PoolOptions.class, PoolOptions.fixed(1, 1));
        put(ReserveOptions.class, ReserveOptions.of(1, 2));
        put(RetryOptions.class, RetryOptions.of(2, second, second));
        put(SemaphoreOptions.class, SemaphoreOptions.of(1));
        put(StageOptions.class, StageOptions.usual());
        put(SubscriberOptions.class, SubscriberOptions.defaults());
        put(TopicOptions.class, TopicOptions.defaults());
        put(WorkerState.class, WorkerState.of(() -> 1));
        put(RateLimiterOptions.class, RateLimiterOptions.of(RateLimit.of(1, second), 1));
        put(BreakerOptions.class, BreakerOptions.of(BreakerWindow.lastCalls(1), second));
        put(ReceiptOptions.class, ReceiptOptions.of(second, 1));
        put(ActorSemaphore.class, ActorSemaphore.open(scope, "semaphore", SemaphoreOptions.of(1)));
        put(ChatRoom.class, ChatRoom.<String>open(scope, "room", ChatRoomOptions.defaults()));
        put(CircuitBreaker.class, CircuitBreaker.open(scope, "breaker",
                BreakerOptions.of(BreakerWindow.lastCalls(1), second)));
        put(Hedge.class, Hedge.open(scope, "hedge", HedgeOptions.after(second)));
        put(ObservableMap.class,
                ObservableMap.<String, String>open(scope, "map", ObservableOptions.defaults()));
        put(ObservableValue.class,
                ObservableValue.open(scope, "value", ObservableOptions.defaults(), "first"));
        put(RateLimiter.class, RateLimiter.open(scope, "limiter",
                RateLimiterOptions.of(RateLimit.of(1, second), 1)));
        put(Receipts.class, Receipts.open(scope, "receipts", ReceiptOptions.of(second, 1)));
        put(Retry.class, Retry.open(scope, "retry", RetryOptions.of(2, second, second)));
        put(Topic.class, Topic.<String>open(scope, "topic", TopicOptions.defaults()));
        put(Topics.class, Topics.<String>open(scope, "topics", TopicOptions.defaults()));
        put(Transactions.class, Transactions.open(scope, "state", () -> "state", state -> state,
                (state, message) -> {
                }));
        put(WorkerPool.class, WorkerPool.open(scope, "pool", PoolOptions.fixed(1, 1), message -> {
        }));
    }

    private void put(Class<?> type, Object sample) {
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
