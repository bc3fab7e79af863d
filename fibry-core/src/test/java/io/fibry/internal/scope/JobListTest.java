package io.fibry.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.testing.Aside;
import io.fibry.testing.Promise;
import io.fibry.testing.Seeds;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobListTest {
    private static final Schedule LATER = Schedule.once(Duration.ofHours(1));

    private static Scheduled job(ActorScope scope) {
        return scope.schedule(LATER, () -> {
        });
    }

    /** Jobs are cancelled in any order, so that the last one moves to any place, and the list grows and shrinks. */
    @Test
    @Promise("20.6")
    void hasWhatWasScheduledAndIsNotOver() {
        Seeds.playAll("-Dtest=JobListTest", 100, seed -> {
            var random = new Random(seed);
            var time = new ManualTime();
            var left = new ArrayList<Scheduled>();
            var over = new ArrayList<Scheduled>();
            var scope = ActorSystem.configure("list").time(time).open();
            var jobs = (Scope) scope;
            try (scope) {
                for (int step = 0; step < 300; step++) {
                    // It first grows, and then shrinks.
                    if (left.isEmpty() || random.nextInt(300) > step) {
                        left.add(job(scope));
                    } else {
                        var job = left.remove(random.nextInt(left.size()));
                        assertThat(job.cancel()).isTrue();
                        assertThat(job.cancel()).isFalse();
                        over.add(job);
                    }
                    assertThat(jobs.jobCount()).isEqualTo(left.size());
                }
                assertThat(left).noneMatch(Scheduled::isOver);
                assertThat(over).allMatch(Scheduled::isOver);
            }
            assertThat(jobs.jobCount()).isZero();
            assertThat(left).as("the end of the scope ends them").allMatch(Scheduled::isOver);
            assertThat(time.pending()).isZero();
        });
    }

    /** Each thread cancels what another one has scheduled, or what has run. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Promise("20.6")
    void losesNothingBetweenThreads(boolean isLimited) throws Exception {
        var fibers = CreationStrategy.fibers();
        var scope = ActorSystem.configure("list")
                .strategy(isLimited ? CreationStrategy.limited(fibers, 3) : fibers).open();
        var jobs = (Scope) scope;
        var left = new ArrayList<Scheduled>();
        try (scope) {
            var threads = new ArrayList<Future<List<Scheduled>>>();
            for (int i = 0; i < 8; i++) {
                threads.add(Aside.run(() -> {
                    var mine = new ArrayList<Scheduled>();
                    for (int round = 0; round < 2_000; round++) {
                        mine.add(job(scope));
                        scope.schedule(Schedule.once(Duration.ZERO), () -> {
                        });
                        if (round % 2 == 1) {
                            assertThat(mine.remove(mine.size() / 2).cancel()).isTrue();
                        }
                    }
                    return mine;
                }));
            }
            for (var thread : threads) {
                left.addAll(Waits.on(thread));
            }
            for (int i = 0; i < left.size() / 2; i++) {
                assertThat(left.get(2 * i).cancel()).isTrue();
            }
            Waits.until("what was due has run", () -> jobs.jobCount() == left.size() - left.size() / 2);
        }
        assertThat(jobs.jobCount()).isZero();
        assertThat(left).allMatch(Scheduled::isOver);
    }
}
