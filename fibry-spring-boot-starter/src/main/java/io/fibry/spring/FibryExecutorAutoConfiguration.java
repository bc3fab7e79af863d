package io.fibry.spring;

import static io.fibry.spring.FibryAsyncAutoConfiguration.OF_APPLICATION;
import static io.fibry.spring.FibryAsyncAutoConfiguration.OF_ASYNC;

import io.fibry.Actor;
import java.util.concurrent.Executor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnThreading;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.task.SimpleAsyncTaskExecutorBuilder;
import org.springframework.boot.task.ThreadPoolTaskExecutorBuilder;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Spring Boot's own executor, for a program whose only executors are actors. Spring Boot leaves it out if any bean is an {@link Executor},
 * as each actor is; methods with {@code @Async} would then run on new threads without a bound.
 */
@AutoConfiguration(after = TaskExecutionAutoConfiguration.class, before = TaskSchedulingAutoConfiguration.class)
@ConditionalOnBean({SimpleAsyncTaskExecutorBuilder.class, ThreadPoolTaskExecutorBuilder.class})
@ConditionalOnMissingBean(value = Executor.class, ignored = Actor.class)
class FibryExecutorAutoConfiguration {
    @Bean({OF_APPLICATION, OF_ASYNC})
    @ConditionalOnThreading(Threading.VIRTUAL)
    SimpleAsyncTaskExecutor virtualThreads(SimpleAsyncTaskExecutorBuilder builder) {
        return builder.build();
    }

    @Bean({OF_APPLICATION, OF_ASYNC})
    @Lazy
    @ConditionalOnThreading(Threading.PLATFORM)
    ThreadPoolTaskExecutor platformThreads(ThreadPoolTaskExecutorBuilder builder) {
        return builder.build();
    }
}
