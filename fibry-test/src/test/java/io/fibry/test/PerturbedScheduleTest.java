package io.fibry.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.AskTimeoutException;
import io.fibry.testing.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A program on real threads, where the JVM lets no seed decide. */
class PerturbedScheduleTest {
    /** A reply that nothing refers to is lost. */
    private final List<Object> kept = new CopyOnWriteArrayList<>();

    private static void play(long seed, ScheduledBody body) {
        var schedule = new PerturbedSchedule(seed, "start the JVM otherwise");
        schedule.play(() -> body.run(schedule), "replay");
    }

    @Promise("58.9")
    @Test
    void runsOnRealThreadsWithTheSameTime() {
        for (int seed = 0; seed < 3; seed++) {
            play(seed, schedule -> {
                assertThat(schedule.isControlled()).isFalse();
                var count = new AtomicInteger();
                var actor = schedule.scope().anonymous().<String>newActor((context, message) -> {
                    if (message.equals("start")) {
                        context.timers().fixedRate("beat", Duration.ofHours(1), "beat");
                    } else {
                        count.incrementAndGet();
                    }
                });
                actor.sendMessage("start");
                schedule.advance(Duration.ofHours(24));
                assertThat(count).hasValue(24);
                var silent = schedule.scope().anonymous().newActorWithReturn((context, message) -> {
                    kept.add(context.deferReply());
                    return null;
                });
                assertThatThrownBy(() -> silent.apply("hello", Duration.ofHours(30)))
                        .hasCauseInstanceOf(AskTimeoutException.class);
                var helper = schedule.start("helper", () -> actor.sendMessage("beat"));
                helper.join();
                schedule.awaitQuiet();
                assertThat(count.get()).isGreaterThan(24);
            });
        }
    }

    @Promise("58.9")
    @Test
    void threadsThatMeetShareOneScopeAndAllOfThemAreWaitedFor() {
        for (int seed = 0; seed < 50; seed++) {
            var scopes = ConcurrentHashMap.newKeySet();
            var ended = new AtomicInteger();
            play(seed, schedule -> {
                for (int i = 0; i < 4; i++) {
                    schedule.start("first", () -> {
                        scopes.add(schedule.scope());
                        schedule.start("second", () -> {
                            schedule.pause();
                            ended.incrementAndGet();
                        });
                    });
                }
            });
            assertThat(scopes).hasSize(1);
            assertThat(ended).hasValue(4);
        }
    }

    @Promise("58.9")
    @Test
    void aFailureSaysThatNoSeedReplaysIt() {
        assertThatThrownBy(() -> play(5, schedule -> {
            throw new IllegalStateException("on purpose");
        })).isInstanceOf(ScheduleFailedError.class).hasMessageContainingAll("seed 5: ", "on purpose",
                "the seed does not replay it, since the schedule was not controlled: start the JVM otherwise");
    }
}
