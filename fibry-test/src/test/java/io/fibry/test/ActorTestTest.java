package io.fibry.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.fibry.testing.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The annotation. */
class ActorTestTest {
    private static final AtomicInteger RUNS = new AtomicInteger();

    private int prepared;

    @BeforeEach
    void prepare() {
        prepared++;
    }

    @Promise("58.8")
    @ActorTest(seeds = 7)
    void runsOnceForEachSeedOnAThreadOfTheSchedule(TestSchedule schedule) throws Exception {
        assertThat(schedule.isControlled()).isTrue();
        assertThat(schedule.seed()).isEqualTo(RUNS.getAndIncrement());
        assertThat(Thread.currentThread().isVirtual()).isTrue();
        assertThat(prepared).isOne();
        assertThat(schedule.scope().anonymous().newActorWithReturn((Integer number) -> number + 1).apply(1))
                .isEqualTo(2);
    }

    @Promise("58.8")
    @ActorTest(seeds = 1)
    void needsNoParameter() {
        assertThat(Thread.currentThread().getName()).isEqualTo("test");
    }

    /** Run by the test below alone. */
    static final class Failing {
        static final List<Long> SEEDS = new ArrayList<>();

        @ActorTest(seeds = 10)
        void atTheFourthSeed(TestSchedule schedule) {
            SEEDS.add(schedule.seed());
            assertThat(schedule.seed()).isLessThan(3);
        }
    }

    @Promise("58.8")
    @Test
    void theFirstSeedThatFailsIsTheLastOne() {
        Failing.SEEDS.clear();
        var summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(
                LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Failing.class)).build(),
                summary);
        assertThat(Failing.SEEDS).containsExactly(0L, 1L, 2L, 3L);
        assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(3);
        assertThat(summary.getSummary().getFailures()).singleElement().satisfies(failure -> {
            assertThat(failure.getTestIdentifier().getDisplayName()).isEqualTo("seed 3");
            assertThat(failure.getException()).isInstanceOf(ScheduleFailedError.class)
                    .hasMessageContaining(
                            "or mvn test '-Dtest=ActorTestTest$Failing#atTheFourthSeed' -Dfibry.seed=3");
        });
    }

    /** Run by the test below alone. */
    static final class FailingAfter {
        static final List<Long> SEEDS = new ArrayList<>();

        @ActorTest(seeds = 10)
        void passes(TestSchedule schedule) {
            SEEDS.add(schedule.seed());
        }

        @AfterEach
        void fails() {
            assertThat(SEEDS).hasSizeLessThan(3);
        }
    }

    @Promise("58.8")
    @Test
    void aSeedThatFailsAfterTheMethodIsTheLastOne() {
        FailingAfter.SEEDS.clear();
        var summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(
                LauncherDiscoveryRequestBuilder.request().selectors(selectClass(FailingAfter.class)).build(),
                summary);
        assertThat(FailingAfter.SEEDS).containsExactly(0L, 1L, 2L);
        assertThat(summary.getSummary().getTestsFailedCount()).isOne();
    }

    /** Run by the test below alone. */
    static final class Ordered {
        static final List<String> ORDERS = new ArrayList<>();

        @ActorTest(seeds = 20)
        void pauses(TestSchedule schedule) throws InterruptedException {
            var order = new StringBuilder();
            var threads = Stream.of("a", "b", "c").map(name -> schedule.start(name, () -> {
                for (int i = 0; i < 5; i++) {
                    schedule.pause();
                    order.append(name);
                }
            })).toList();
            for (var thread : threads) {
                thread.join();
            }
            ORDERS.add(order.toString());
        }
    }

    private static List<String> orders(Map<String, String> parameters) {
        Ordered.ORDERS.clear();
        LauncherFactory.create()
                .execute(LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Ordered.class))
                        .configurationParameters(parameters).build());
        return List.copyOf(Ordered.ORDERS);
    }

    @Promise("58.8")
    @Test
    void aScheduleIsTheSameOnAThreadThatJUnitMakesForATimeLimit() {
        var timeout = "junit.jupiter.execution.timeout.";
        assertThat(orders(
                Map.of(timeout + "default", "1 h", timeout + "thread.mode.default", "separate_thread")))
                .hasSize(20).isEqualTo(orders(Map.of()));
    }

    /** How many are between the begin and the end of {@link #meet}, at most. */
    private static final AtomicInteger INSIDE = new AtomicInteger();
    private static final AtomicInteger MOST_INSIDE = new AtomicInteger();
    private static final CountDownLatch BOTH = new CountDownLatch(2);

    /** The first one waits for the other, which comes soon if it may run at this time. */
    private static void meet() throws InterruptedException {
        MOST_INSIDE.accumulateAndGet(INSIDE.incrementAndGet(), Math::max);
        BOTH.countDown();
        BOTH.await(500, TimeUnit.MILLISECONDS);
        INSIDE.decrementAndGet();
    }

    /** Run by the test below alone. */
    static final class Scheduled {
        @BeforeEach
        void begin() throws InterruptedException {
            meet();
        }

        @ActorTest(seeds = 1)
        void runs() {
        }
    }

    /** Run by the test below alone. */
    static final class Beside {
        @Test
        void runs() throws InterruptedException {
            meet();
        }
    }

    @Promise("58.8")
    @Test
    void noOtherTestRunsAtTheSameTime() {
        var summary = new SummaryGeneratingListener();
        var parallel = "junit.jupiter.execution.parallel.";
        LauncherFactory.create().execute(
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(Scheduled.class), selectClass(Beside.class))
                        .configurationParameters(Map.of(parallel + "enabled", "true",
                                parallel + "mode.default", "concurrent",
                                parallel + "config.strategy", "fixed",
                                parallel + "config.fixed.parallelism", "2"))
                        .build(),
                summary);
        assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(2);
        assertThat(MOST_INSIDE).hasValue(1);
    }

    /** Run by the test below alone. */
    static final class Elsewhere {
        @ActorTest(seeds = 2)
        void assumesWhatIsNotSo(TestSchedule schedule) {
            assumeFalse(schedule.isControlled());
        }
    }

    @Promise("58.8")
    @Test
    void anAssumptionThatIsNotSoIsNoFailure() {
        var summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(
                LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Elsewhere.class)).build(),
                summary);
        assertThat(summary.getSummary().getFailures()).isEmpty();
        assertThat(summary.getSummary().getTestsAbortedCount()).isEqualTo(2);
    }

    @AfterAll
    static void count() {
        assertThat(RUNS).hasValue(7);
    }
}
