package io.fibry.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Promise;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;

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

    @AfterAll
    static void count() {
        assertThat(RUNS).hasValue(7);
    }
}
