package io.fibry.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.dump.ScopeDump.State;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import jakarta.annotation.PreDestroy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class ScopeLifecycleTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FibryAutoConfiguration.class));

    /** What handlers use. */
    static final class Store implements AutoCloseable {
        private final AtomicBoolean isClosed = new AtomicBoolean();
        private final AtomicInteger saved = new AtomicInteger();

        void save() {
            if (isClosed.get()) {
                throw new IllegalStateException("the store is closed");
            }
            saved.incrementAndGet();
        }

        @PreDestroy // earlier than a method that Spring finds by its name
        @Override
        public void close() {
            isClosed.set(true);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithStore {
        @Bean
        Store store() { // no bean depends on it, so it might be destroyed first
            return new Store();
        }
    }

    @Test
    @Promise("59.2")
    void whatIsQueuedIsHandledBeforeABeanIsDestroyed() throws Exception {
        var store = new AtomicReference<Store>();
        var go = new CountDownLatch(1);
        var releaser = new AtomicReference<Thread>();
        runner.withUserConfiguration(WithStore.class).run(context -> {
            store.set(context.getBean(Store.class));
            var scope = context.getBean(ActorScope.class);
            var actor = scope.named("saves").newActor((String any) -> {
                go.await();
                store.get().save();
            });
            for (int i = 0; i < 10; i++) {
                actor.sendMessage("one");
            }
            releaser.set(Thread.startVirtualThread(() -> {
                Waits.until("the scope is being closed", () -> scope.dump().scope().state() != State.OPEN);
                go.countDown();
            }));
        }); // closes the context
        Waits.on(releaser.get());
        assertThat(store.get().saved).hasValue(10);
        assertThat(store.get().isClosed).isTrue();
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoScopes {
        @Bean
        ActorScope first() {
            return ActorSystem.open("first");
        }

        @Bean
        ActorScope second() {
            return ActorSystem.open("second");
        }
    }

    @Test
    @Promise("59.2")
    void allScopesThatAreBeansAreClosedTheLastOneFirst() {
        var forwarded = new AtomicInteger();
        runner.withUserConfiguration(TwoScopes.class).run(context -> {
            var next = context.getBean("first", ActorScope.class).anonymous()
                    .newActor((Integer n) -> forwarded.addAndGet(n));
            var go = new CountDownLatch(1);
            var second = context.getBean("second", ActorScope.class);
            var actor = second.anonymous().newActor((Integer n) -> {
                go.await();
                next.sendMessage(n);
            });
            actor.sendMessage(1);
            actor.sendMessage(2);
            second.closeOnExit(
                    () -> assertThat(context.getBean("first", ActorScope.class).dump().scope().state())
                            .isEqualTo(State.OPEN));
            Thread.startVirtualThread(() -> {
                Waits.until("the scope is being closed", () -> second.dump().scope().state() != State.OPEN);
                go.countDown();
            });
        });
        assertThat(forwarded).hasValue(3);
    }

    @Test
    @Promise("59.2")
    void theWebServerStopsBefore() {
        assertThat(ScopeLifecycle.PHASE).isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
                .isLessThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
    }

    @Configuration(proxyBeanMethods = false)
    static class Broken {
        static final AtomicReference<ActorScope> SCOPE = new AtomicReference<>();

        @Bean
        String broken(ActorScope scope) {
            SCOPE.set(scope);
            throw new IllegalStateException("broken on purpose");
        }
    }

    @Test
    @Promise("59.2")
    void aContextThatDoesNotStartClosesItsScope() {
        runner.withUserConfiguration(Broken.class).run(context -> assertThat(context).hasFailed());
        assertThat(Broken.SCOPE.get().onStopped()).isDone();
    }

    @Configuration(proxyBeanMethods = false)
    static class StuckBean {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);

        @Bean
        CountDownLatch end() {
            return end;
        }

        @Bean
        Actor<Integer, Void> stuck(ActorScope scope) throws InterruptedException {
            var actor = scope.named("stuck").newActor((Integer n) -> {
                begun.countDown();
                while (end.getCount() > 0) {
                    LockSupport.park(); // an interrupt does not end it
                }
            });
            actor.sendMessage(1);
            Waits.on(begun);
            return actor;
        }
    }

    @Test
    @Promise("59.2")
    void anActorThatIsABeanAndStuckDoesNotHoldUpTheEnd() throws Exception {
        var stuck = new AtomicReference<Actor<?, ?>>();
        var end = new AtomicReference<CountDownLatch>();
        var run = Thread.startVirtualThread(() -> runner.withUserConfiguration(StuckBean.class)
                .withPropertyValues("fibry.scope.close-timeout=1ms").run(context -> {
                    end.set(context.getBean(CountDownLatch.class));
                    stuck.set(context.getBean(Actor.class));
                }));
        try {
            Waits.on(run);
            assertThat(stuck.get().state()).isNotEqualTo(ActorState.STOPPED);
        } finally {
            end.get().countDown();
        }
        Waits.stopped(stuck.get());
    }

    /** The last bean is the first one that Spring destroys. */
    @Configuration(proxyBeanMethods = false)
    static class BrokenAfterStore {
        static final AtomicReference<Store> STORE = new AtomicReference<>();

        @Bean
        Actor<Integer, Void> saves(ActorScope scope) {
            var actor = scope.named("saves").newActor((Integer n) -> {
                Waits.until("the scope is being closed", scope::isClosing);
                STORE.get().save();
            });
            actor.sendMessage(1);
            actor.sendMessage(2);
            return actor;
        }

        @Bean
        Store store() {
            STORE.set(new Store());
            return STORE.get();
        }

        @Bean
        String broken() {
            throw new IllegalStateException("broken on purpose");
        }
    }

    @Test
    @Promise("59.2")
    void aContextThatDoesNotStartClosesItsScopeBeforeABeanIsDestroyed() {
        runner.withUserConfiguration(BrokenAfterStore.class).run(context -> assertThat(context).hasFailed());
        var store = BrokenAfterStore.STORE.get();
        assertThat(store.isClosed).isTrue();
        assertThat(store.saved).hasValue(2);
    }

    @Configuration(proxyBeanMethods = false)
    static class WithoutStore {
        @Bean
        String destroyed(ConfigurableListableBeanFactory beans, ActorScope scope, Store store) {
            beans.destroyBean("store", store); // while the context starts
            return "";
        }
    }

    @Test
    @Promise("59.2")
    void theEndOfOneBeanClosesNoScope() {
        runner.withUserConfiguration(WithStore.class, WithoutStore.class).run(context -> {
            var store = context.getBean(Store.class);
            assertThat(store.isClosed).isTrue();
            assertThat(context.getBean(ActorScope.class).isClosing()).isFalse();
            context.getBeanFactory().destroyBean(store);
            assertThat(context.getBean(ActorScope.class).isClosing()).isFalse();
        });
    }

    @Test
    @Promise("59.2")
    void aStoppedContextCannotBeStartedAgainAndSaysSo() {
        runner.run(context -> {
            context.getBean(ScopeLifecycle.class); // made and started
            context.getSourceApplicationContext().stop();
            assertThat(context.getBean(ActorScope.class).onStopped()).isDone();
            assertThatThrownBy(() -> context.getSourceApplicationContext().start())
                    .rootCause()
                    .hasMessageStartingWith("scope 'application' was closed when this context was stopped");
        });
    }

    @Test
    @Promise("59.2")
    void aPausedContextKeepsItsScopeOpen() {
        runner.run(context -> {
            context.getSourceApplicationContext().pause();
            var scope = context.getBean(ActorScope.class);
            assertThat(scope.anonymous().newActorWithReturn((Integer n) -> n + 1).apply(1)).isEqualTo(2);
            context.getSourceApplicationContext().restart();
        });
    }
}
