package io.fibry.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.dump.ScopeDump.State;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;

class AsyncTest {
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations
                    .of(FibryAutoConfiguration.class, FibryAsyncAutoConfiguration.class,
                            FibryExecutorAutoConfiguration.class, TaskExecutionAutoConfiguration.class,
                            TaskSchedulingAutoConfiguration.class));

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
    @Promise("59.7")
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

    /** An actor is an {@link Executor}, which is no reason to run tasks elsewhere. */
    @Configuration(proxyBeanMethods = false)
    static class WithActor {
        @Bean
        @NamedActor("stock")
        Actor<String, String> stock(ActorScope scope) {
            return scope.named("stock").newActorWithReturn((String item) -> item);
        }
    }

    private static Thread threadOfAsync(ApplicationContext context) throws Exception {
        assertThat(context.getBean("applicationTaskExecutor"))
                .isSameAs(context.getBean(AsyncTaskExecutor.class));
        return Waits.on(context.getBean(Mail.class).send());
    }

    @Test
    @Promise("59.7")
    void actorsAreNotExecutorsOfTheProgram() {
        var withActor = runner.withUserConfiguration(WithMail.class, WithActor.class);
        withActor.withPropertyValues("fibry.async.strategy=fibers").run(context -> {
            var thread = threadOfAsync(context);
            assertThat(thread.isVirtual()).isTrue();
            assertThat(thread.toString()).contains("fibry");
        });
        withActor.withPropertyValues("fibry.async.strategy=pool", "fibry.async.pool-threads=1")
                .run(context -> assertThat(threadOfAsync(context).getName()).startsWith("fibry-pool-"));
        withActor.run(context -> assertThat(threadOfAsync(context).getName()).startsWith("task-"));
        withActor.withPropertyValues("spring.threads.virtual.enabled=true",
                "spring.task.execution.thread-name-prefix=mine-").run(context -> {
                    var thread = threadOfAsync(context);
                    assertThat(thread.getName()).startsWith("mine-");
                    assertThat(thread.isVirtual()).isTrue();
                });
        withActor.withPropertyValues("spring.task.execution.mode=force")
                .run(context -> assertThat(threadOfAsync(context).getName()).startsWith("task-"));
    }

    @Test
    @Promise("59.7")
    void anExecutorOfTheProgramTakesItsPlaceBesideActors() {
        var own = runner.withUserConfiguration(WithActor.class, OwnExecutor.class);
        own.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("applicationTaskExecutor"));
        own.withPropertyValues("fibry.async.strategy=fibers").run(
                context -> assertThat(context).hasNotFailed().doesNotHaveBean("applicationTaskExecutor"));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(FibryAutoConfiguration.class,
                        FibryAsyncAutoConfiguration.class, FibryExecutorAutoConfiguration.class))
                .withUserConfiguration(WithActor.class)
                .run(context -> assertThat(context).as("Spring Boot's tasks are excluded").hasNotFailed()
                        .doesNotHaveBean("applicationTaskExecutor"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class WithScheduling {
    }

    /** A scheduler is a second executor, between which Spring cannot choose by the type. */
    @Test
    @Promise("59.7")
    void aSchedulerDoesNotTakeTheTasks() {
        var scheduled = runner.withUserConfiguration(WithMail.class, WithActor.class, WithScheduling.class);
        scheduled.withPropertyValues("fibry.async.strategy=pool").run(context -> {
            assertThat(context).hasSingleBean(TaskScheduler.class);
            assertThat(Waits.on(context.getBean(Mail.class).send()).getName()).startsWith("fibry-pool-");
        });
        scheduled.run(context -> {
            assertThat(context).hasSingleBean(TaskScheduler.class);
            assertThat(Waits.on(context.getBean(Mail.class).send()).getName()).startsWith("task-");
        });
    }

    @Test
    @Promise("59.7")
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
    @Promise("59.7")
    void aTaskThatIsNotTakenIsRejected() {
        for (var strategy : List.of("fibers", "threads")) {
            isRejected(runner.withPropertyValues("fibry.async.strategy=" + strategy,
                    "fibry.scope.limits.waiting=1", "fibry.scope.limits.running=1"));
        }
    }

    @Test
    @Promise("59.7")
    void aTaskThatIsRefusedByAnExceptionIsRejected() {
        var limits = ScopeLimits.none().waiting(1).running(1).overflow(OverflowPolicy.fail());
        isRejected(runner.withPropertyValues("fibry.async.strategy=fibers").withBean(
                ActorScopeCustomizer.class, () -> builder -> builder.limits(limits)));
    }

    private static void isRejected(ApplicationContextRunner limited) {
        limited.run(context -> {
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
            Waits.until("only the tasks that were taken have an actor",
                    () -> context.getBean(ActorScope.class).dump().scope().allActors() == 2);
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
    @Promise("59.7")
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
    @Promise("59.7")
    void theThreadOfTheCallerIsNoPlaceForTasks() {
        runner.withPropertyValues("fibry.async.strategy=caller")
                .run(context -> assertThat(context).getFailure()
                        .rootCause().hasMessageStartingWith("fibry.async.strategy must not be caller"));
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoScopes {
        @Bean
        ActorScope one() {
            return ActorSystem.open("one");
        }

        @Bean
        ActorScope other() {
            return ActorSystem.open("other");
        }
    }

    @Test
    @Promise({"59.1", "59.7"})
    void aStrategyThatCannotBeAppliedStopsTheStart() {
        var withFibers = runner.withPropertyValues("fibry.async.strategy=fibers");
        withFibers.withUserConfiguration(TwoScopes.class).run(context -> assertThat(context).getFailure()
                .rootCause().isInstanceOf(NoUniqueBeanDefinitionException.class)
                .hasMessageContaining("one,other"));
        var forced = withFibers.withPropertyValues("spring.task.execution.mode=force");
        forced.run(context -> assertThat(context).getFailure().rootCause()
                .hasMessageContaining("fibry.async.strategy")
                .hasMessageContaining("spring.task.execution.mode"));
        forced.withUserConfiguration(OwnExecutor.class).run(context -> assertThat(context).hasNotFailed());
        runner.withPropertyValues("fibry.async.strategy=").run(context -> assertThat(context).getFailure()
                .rootCause().hasMessage("fibry.async.strategy has no value"));
    }
}
