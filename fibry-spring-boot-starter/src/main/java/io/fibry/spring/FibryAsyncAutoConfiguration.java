package io.fibry.spring;

import io.fibry.Actor;
import io.fibry.ActorScope;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;

/**
 * Methods with {@code @Async} on a strategy. An actor is an {@link Executor}, too, but not one that a program offers for its tasks. If there
 * are several executors, as with a scheduler, Spring takes that with the name {@value #OF_ASYNC}.
 */
@AutoConfiguration(after = FibryAutoConfiguration.class, before = TaskExecutionAutoConfiguration.class)
@ConditionalOnProperty("fibry.async.strategy")
class FibryAsyncAutoConfiguration {
    /** The name by which Spring Boot itself and its modules look for the executor. */
    static final String OF_APPLICATION = "applicationTaskExecutor";
    /** The name by which Spring chooses an executor for methods with {@code @Async}. */
    static final String OF_ASYNC = "taskExecutor";

    private static final String MODE = "spring.task.execution.mode";

    @Bean({OF_APPLICATION, OF_ASYNC})
    @ConditionalOnProperty(name = MODE, havingValue = "auto", matchIfMissing = true)
    @ConditionalOnMissingBean(value = Executor.class, ignored = Actor.class)
    AsyncTaskExecutor applicationTaskExecutor(ActorScope scope, FibryProperties properties,
            ObjectProvider<TaskDecorator> decorators) {
        var async = properties.async();
        var strategy = Objects.requireNonNull(async.strategy(), "fibry.async.strategy has no value")
                .asideOf("fibry.async", async.poolThreads());
        return new ActorTaskExecutor(scope, strategy,
                new CompositeTaskDecorator(decorators.orderedStream().toList()));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = MODE, havingValue = "force")
    @ConditionalOnMissingBean(value = Executor.class, ignored = Actor.class)
    static class Forced {
        Forced() {
            throw new IllegalStateException("fibry.async.strategy has no effect with " + MODE
                    + "=force, which makes Spring Boot's own executor: remove one of the two");
        }
    }
}
