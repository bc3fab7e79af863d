package io.fibry.patterns;

import io.fibry.ActorScope;
import io.fibry.api.NullChecks;
import io.fibry.architecture.MainCode;
import io.fibry.files.DirectoryWatchOptions;
import io.fibry.flow.FlowOptions;
import io.fibry.flow.PipelineProgress;
import io.fibry.flow.StageOptions;
import io.fibry.flow.StageProgress;
import io.fibry.fsm.MachineEvent;
import io.fibry.fsm.MachineOptions;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.pool.WorkerState;
import io.fibry.topic.ObservableValue;
import io.fibry.topic.ObserverOptions;
import io.fibry.topic.Publication;
import io.fibry.topic.SubscriberOptions;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import io.fibry.topic.Topics;
import io.fibry.work.BreakerOptions;
import io.fibry.work.BreakerReport;
import io.fibry.work.BreakerWindow;
import io.fibry.work.CircuitBreaker;
import io.fibry.work.Hedge;
import io.fibry.work.HedgeOptions;
import io.fibry.work.RateLimiter;
import io.fibry.work.RateLimiterOptions;
import io.fibry.work.Retry;
import io.fibry.work.RetryOptions;
import io.fibry.work.Transactions;
import io.fibry.work.WorkEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

class PatternNullsTest extends NullChecks {
    @Override
    protected List<Class<?>> types() throws Exception {
        return MainCode.exportedTypes(MainCode.compiled(WorkerPool.class));
    }

    @Override
    protected Set<Class<?>> reports() {
        return Set.of(BreakerReport.class, MachineEvent.class, PipelineProgress.class,
                Publication.class, StageProgress.class, WorkEvent.class);
    }

    @Override
    protected int least() {
        return 150;
    }

    @Override
    protected void fill(ActorScope scope) {
        var second = Duration.ofSeconds(1);
        put(BreakerWindow.class, BreakerWindow.lastCalls(1));
        put(DirectoryWatchOptions.class, DirectoryWatchOptions.of(Path.of("sample")));
        put(FlowOptions.class, FlowOptions.usual());
        put(HedgeOptions.class, HedgeOptions.after(second));
        put(MachineOptions.class, MachineOptions.standard());
        put(ObserverOptions.class, ObserverOptions.defaults());
        put(Path.class, Path.of("sample"));
        put(PoolOptions.class, PoolOptions.fixed(1, 1));
        put(RetryOptions.class, RetryOptions.of(2, second, second));
        put(StageOptions.class, StageOptions.usual());
        put(SubscriberOptions.class, SubscriberOptions.defaults());
        put(TopicOptions.class, TopicOptions.defaults());
        put(WorkerState.class, WorkerState.of(() -> 1));
        put(RateLimiterOptions.class, RateLimiterOptions.of(1, second, 1));
        put(BreakerOptions.class, BreakerOptions.of(BreakerWindow.lastCalls(1), second));
        put(CircuitBreaker.class, CircuitBreaker.open(scope, "breaker",
                BreakerOptions.of(BreakerWindow.lastCalls(1), second)));
        put(Hedge.class, Hedge.open(scope, "hedge", HedgeOptions.after(second)));
        put(ObservableValue.class,
                ObservableValue.open(scope, "value", "first"));
        put(RateLimiter.class, RateLimiter.open(scope, "limiter",
                RateLimiterOptions.of(1, second, 1)));
        put(Retry.class, Retry.open(scope, "retry", RetryOptions.of(2, second, second)));
        put(Topic.class, Topic.<String>open(scope, "topic", TopicOptions.defaults()));
        put(Topics.class, Topics.<String>open(scope, "topics", TopicOptions.defaults()));
        put(Transactions.class, Transactions.open(scope.named("state"), () -> "state", state -> state,
                (state, message) -> {
                }));
        put(WorkerPool.class, WorkerPool.open(scope, "pool", PoolOptions.fixed(1, 1), message -> {
        }));
    }
}
