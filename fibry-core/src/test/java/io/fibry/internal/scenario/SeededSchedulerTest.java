package io.fibry.internal.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.testing.Seeds;
import java.util.HashSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SeededSchedulerTest {
    private static final int SEEDS = 500;

    @BeforeEach
    void needsTheJdkToLetUsIn() {
        assumeTrue(SeededScheduler.isAvailable(), "this JDK does not let tests carry virtual threads");
    }

    /** A queue whose taker announces that it will park; the broken one looks for mail only before that. */
    private static final class Post {
        final ConcurrentLinkedQueue<String> mail = new ConcurrentLinkedQueue<>();
        final boolean looksAgain;
        volatile Thread taker;

        Post(boolean looksAgain) {
            this.looksAgain = looksAgain;
        }

        void put(SeededScheduler schedule, String letter) {
            mail.add(letter);
            schedule.pause();
            var waiting = taker;
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
        }

        String take(SeededScheduler schedule) {
            while (true) {
                var letter = mail.poll();
                if (letter != null) {
                    return letter;
                }
                schedule.pause();
                taker = Thread.currentThread();
                if (!looksAgain || mail.isEmpty()) {
                    LockSupport.park();
                }
                taker = null;
            }
        }
    }

    private static String play(long seed, boolean looksAgain) {
        var schedule = new SeededScheduler(seed);
        var post = new Post(looksAgain);
        schedule.spawn("taker", () -> {
            for (int i = 0; i < 2; i++) {
                post.take(schedule);
            }
        });
        for (int i = 0; i < 2; i++) {
            schedule.spawn("sender" + i, () -> post.put(schedule, "letter"));
        }
        schedule.run();
        return schedule.trace();
    }

    @Test
    void aLostWakeUpIsFoundInAGoodShareOfTheSeeds() {
        var found = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                play(seed, false);
            } catch (AssertionError hang) {
                assertThat(hang).hasMessageContainingAll("nothing can go on", "'taker' WAITING", "Post.take",
                        "seed " + seed);
                found++;
            }
        }
        assertThat(found).isBetween(SEEDS / 20, SEEDS / 2);
    }

    @Test
    void theCorrectVersionNeverHangs() {
        for (long seed = 0; seed < SEEDS; seed++) {
            play(seed, true);
        }
    }

    @Test
    void oneSeedIsOneScheduleAndManySeedsAreMany() {
        var traces = new HashSet<String>();
        for (long seed = 0; seed < SEEDS; seed++) {
            var trace = play(seed, true);
            assertThat(play(seed, true)).isEqualTo(trace);
            traces.add(trace);
        }
        assertThat(traces).hasSizeGreaterThan(SEEDS / 10);
    }

    @Test
    void aFailingSeedSaysHowToReplayIt() {
        assertThatThrownBy(() -> Seeds.playAll("-Dtest=SomeTest", SEEDS, seed -> play(seed, false)))
                .hasMessageContaining("nothing can go on").hasMessageMatching(
                        "(?s).*mvn -B -pl fibry-core test -Dtest=SomeTest -Dfibry\\.seed=\\d+\n.*");
    }

    @Test
    void aFailureInAThreadFailsTheRun() {
        var schedule = new SeededScheduler(1);
        schedule.spawn("thrower", () -> {
            throw new IllegalStateException("oops");
        });
        assertThatThrownBy(schedule::run).hasMessageContaining("thrower").hasRootCauseMessage("oops");
    }

    @Test
    void aThreadThatNeverEndsIsStoppedByTheStepLimit() {
        var schedule = new SeededScheduler(1);
        var end = new AtomicInteger();
        schedule.spawn("spinner", () -> {
            while (end.get() == 0) {
                Thread.yield();
            }
        });
        assertThatThrownBy(schedule::run).hasMessageContainingAll("no end after", "spinner");
    }

    @Test
    void theClockMovesOnOnlyWhenNothingElseCanRun() {
        for (long seed = 0; seed < SEEDS; seed++) {
            var schedule = new SeededScheduler(seed);
            var others = new AtomicInteger();
            schedule.spawn("sleeper", () -> {
                var self = Thread.currentThread();
                var over = new AtomicInteger();
                schedule.time().schedule(1_000, () -> {
                    over.set(1);
                    LockSupport.unpark(self);
                });
                while (over.get() == 0) {
                    LockSupport.park();
                }
                assertThat(schedule.time().nanoTime()).isEqualTo(1_000);
                assertThat(others).hasValue(3);
            });
            for (int i = 0; i < 3; i++) {
                schedule.spawn("other" + i, () -> {
                    Thread.yield();
                    others.incrementAndGet();
                });
            }
            schedule.run();
        }
    }
}
