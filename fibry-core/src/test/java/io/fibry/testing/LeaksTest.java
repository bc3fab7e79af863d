package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.function.Body;
import io.fibry.internal.engine.EngineProbe;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

class LeaksTest {
    @Test
    void aFiberThatIsStuckInAHandlerIsFound() throws Exception {
        var handling = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        var actor = ActorSystem.anonymous().strategy(CreationStrategy.fibers()).newActor((String message) -> {
            handling.countDown();
            end.await();
        });
        actor.sendMessage("stay");
        handling.await();
        var found = FibryThreads.alive("fibry-timer").values().stream().map(FibryThreads::text).toList();
        end.countDown();
        assertThat(found).singleElement().asString().contains("fiber fibry", getClass().getName());
        actor.close();
    }

    @Test
    void aThreadOfAnActorIsFound() {
        var actor =
                ActorSystem.named("tom").strategy(CreationStrategy.threads()).newActor((String message) -> {
                });
        actor.sendMessage("begin");
        assertThat(FibryThreads.alive("fibry-timer").values()).singleElement().asString()
                .contains("fibry-tom");
        assertThat(EngineProbe.rootFootprint()).isEqualTo(1);
        actor.close();
    }

    @Test
    void aTimerIsFound() {
        var actor = ActorSystem.anonymous().<String>newActor((context, message) -> context.timers()
                .once("key", Duration.ofHours(1), "later"));
        actor.sendMessage("set");
        await().until(() -> EngineProbe.pendingTimers() == 1);
        actor.close();
        assertThat(EngineProbe.pendingTimers()).isZero();
    }

    @EveryStrategy
    void everyStrategyRunsAnActor(Strategy strategy) throws Exception {
        try (var actor = ActorSystem.anonymous().strategy(strategy.create())
                .newActorWithReturn((Integer n) -> n + 1)) {
            assertThat(actor.sendMessageReturnWait(1)).isEqualTo(2);
        }
    }

    @Test
    void anExceptionThatNobodyCatchesIsFound() throws Exception {
        assertThatThrownBy(() -> watched(() -> {
            var thread = new Thread(() -> {
                throw new IllegalStateException("nobody catches this");
            });
            thread.start();
            thread.join();
        })).hasMessageContainingAll("an exception was not caught", "nobody catches this", "LeaksTest.java");
    }

    @Test
    @LogsErrors
    void anErrorInTheLogIsFound() throws Exception {
        assertThatThrownBy(() -> watched(() -> LoggerFactory.getLogger("test").error("as the test wants it")))
                .hasMessageContainingAll("an error was logged", "as the test wants it");
    }

    @Test
    void aTimerThatStaysIsFound() {
        var stays = EngineProbe.systemTimer(Duration.ofHours(1));
        assertThatThrownBy(() -> watched(() -> {
        })).hasMessageContaining("1 timers are set");
        stays.cancel();
    }

    @Test
    void aTimerThatStaysFailsOneTest() throws Exception {
        var stays = EngineProbe.systemTimer(Duration.ofHours(1));
        assertThatThrownBy(() -> watched(() -> {
        })).hasMessageContaining("1 timers are set");
        watched(() -> {
        });
        stays.cancel();
    }

    @Test
    void aNameThatStaysIsFound() {
        var actor = ActorSystem.named("stays").newActor((String message) -> {
        });
        assertThatThrownBy(() -> watched(() -> {
        })).hasMessageContaining("1 names of the root scope");
        actor.close();
    }

    /** Runs code as if it were a test of its own. */
    private static void watched(Body test) throws Exception {
        var method = LeaksTest.class.getDeclaredMethod("watched", Body.class);
        var context = (ExtensionContext) Proxy.newProxyInstance(LeaksTest.class.getClassLoader(),
                new Class<?>[]{ExtensionContext.class}, (proxy, called, arguments) -> method);
        var leaks = new Leaks(Duration.ofMillis(20));
        leaks.beforeEach(context);
        try {
            test.run();
        } finally {
            leaks.afterEach(context);
        }
    }
}
