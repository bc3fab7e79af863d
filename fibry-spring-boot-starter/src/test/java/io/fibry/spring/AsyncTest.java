package io.fibry.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.dump.ScopeDump.State;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

class AsyncTest {
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations
                    .of(FibryAutoConfiguration.class, FibryAsyncAutoConfiguration.class,
                            TaskExecutionAutoConfiguration.class));

    /** Has a method that runs elsewhere. */
    public static class Mail {
        @Async
        public CompletableFuture<Thread> send() {
            return CompletableFuture.completedFuture(Thread.currentThread());
        }

        @Async
        public CompletableFuture<Thread> fail() {
            throw new IllegalArgumentException("no such address");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class WithMail {
        @Bean
        Mail mail() {
            return new Mail();
        }
    }

    @Test
    @Promise("59.4")
    void methodsWithAsyncRunOnTheStrategy() {
        runner.withUserConfiguration(WithMail.class).withPropertyValues("fibry.async.strategy=fibers")
                .run(context -> {
                    var thread = Waits.on(context.getBean(Mail.class).send());
                    assertThat(thread.isVirtual()).isTrue();
                    assertThat(thread).isNotSameAs(Thread.currentThread());
                    assertThatThrownBy(() -> Waits.on(context.getBean(Mail.class).fail())).rootCause()
                            .hasMessage("no such address");
                });
        runner.withUserConfiguration(WithMail.class)
                .withPropertyValues("fibry.async.strategy=pool", "fibry.async.pool-threads=2")
                .run(context -> assertThat(Waits.on(context.getBean(Mail.class).send()).isVirtual())
                        .isFalse());
        runner.withUserConfiguration(WithMail.class).run(context -> assertThat(
                context.getBean("applicationTaskExecutor")).isNotInstanceOf(ActorTaskExecutor.class));
    }

    @Test
    @Promise("59.4")
    void theCloseWaitsForTasksWhichCanAskActorsMeanwhile() {
        var result = new AtomicReference<CompletableFuture<Integer>>();
        runner.withPropertyValues("fibry.async.strategy=fibers").run(context -> {
            var scope = context.getBean(ActorScope.class);
            var doubles = scope.anonymous().newActorWithReturn((Integer n) -> 2 * n);
            var go = new CountDownLatch(1);
            result.set(context.getBean(AsyncTaskExecutor.class).submitCompletable(() -> {
                go.await();
                return doubles.apply(21);
            }));
            Thread.startVirtualThread(() -> {
                Waits.until("the scope is being closed", () -> scope.dump().scope().state() != State.OPEN);
                go.countDown();
            });
        });
        assertThat(result.get()).isCompletedWithValue(42);
    }

    @Test
    @Promise("59.4")
    void aTaskThatIsNotTakenIsRejected() {
        runner.withPropertyValues("fibry.async.strategy=fibers", "fibry.scope.limits.waiting=1",
                "fibry.scope.limits.running=1").run(context -> {
                    var executor = context.getBean(AsyncTaskExecutor.class);
                    var begun = new CountDownLatch(1);
                    var go = new CountDownLatch(1);
                    executor.execute(() -> {
                        begun.countDown();
                        try {
                            Waits.on(go);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    });
                    Waits.on(begun);
                    executor.execute(() -> {
                    }); // waits
                    assertThatThrownBy(() -> executor.execute(() -> {
                    })).isInstanceOf(TaskRejectedException.class).hasMessageContaining("fibry.scope.limits");
                    go.countDown();
                    context.getBean(ActorScope.class).close();
                    assertThatThrownBy(() -> executor.execute(() -> {
                    })).isInstanceOf(TaskRejectedException.class).hasMessageContaining("is closed");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Decorated {
        private final AtomicInteger decorated = new AtomicInteger();

        @Bean
        AtomicInteger decorated() {
            return decorated;
        }

        @Bean
        TaskDecorator counting() {
            return task -> {
                decorated.incrementAndGet();
                return task;
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutor {
        @Bean
        Executor mine() {
            return Runnable::run;
        }
    }

    @Test
    @Promise("59.4")
    void decoratorsAreAppliedAndAnExecutorOfTheProgramTakesItsPlace() {
        runner.withUserConfiguration(Decorated.class).withPropertyValues("fibry.async.strategy=fibers")
                .run(context -> {
                    Waits.on(context.getBean(AsyncTaskExecutor.class).submit(() -> {
                    }));
                    assertThat(context.getBean(AtomicInteger.class)).hasValue(1);
                });
        runner.withUserConfiguration(OwnExecutor.class).withPropertyValues("fibry.async.strategy=fibers")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ActorTaskExecutor.class));
    }

    @Test
    @Promise("59.4")
    void theThreadOfTheCallerIsNoPlaceForTasks() {
        runner.withPropertyValues("fibry.async.strategy=caller")
                .run(context -> assertThat(context).getFailure()
                        .rootCause().hasMessageStartingWith("fibry.async.strategy must not be caller"));
    }
}
