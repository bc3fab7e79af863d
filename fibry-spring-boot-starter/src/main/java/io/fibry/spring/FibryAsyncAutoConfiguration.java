package io.fibry.spring;

import io.fibry.ActorScope;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;

/** Methods with {@code @Async} on a strategy. */
@AutoConfiguration(after = FibryAutoConfiguration.class, before = TaskExecutionAutoConfiguration.class)
@ConditionalOnProperty("fibry.async.strategy")
@ConditionalOnSingleCandidate(ActorScope.class)
class FibryAsyncAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(Executor.class)
    AsyncTaskExecutor applicationTaskExecutor(ActorScope scope, FibryProperties properties,
            ObjectProvider<TaskDecorator> decorators) {
        var async = properties.async();
        var strategy = Objects.requireNonNull(async.strategy()).asideOf("fibry.async", async.poolThreads());
        return new ActorTaskExecutor(scope, strategy,
                new CompositeTaskDecorator(decorators.orderedStream().toList()));
    }
}
