package io.fibry.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.AskTimeoutException;
import io.fibry.testing.Promise;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    @Promise("58.8")
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

    @Promise("58.8")
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

    /** A program in a JVM that allows no control. */
    static final class Elsewhere {
        private Elsewhere() {
        }

        public static void main(String[] arguments) {
            TestSchedule.explore(3, schedule -> System.out.println("controlled: " + schedule.isControlled()));
        }
    }

    @Promise("58.8")
    @Test
    void aJvmThatAllowsNoControlIsToldOnceWhatIsMissing() throws Exception {
        for (var options : Map.of(List.of("-ea", "-Dio.fibry.interleave=true"),
                "--add-opens java.base/java.lang=ALL-UNNAMED",
                List.of("-Dio.fibry.interleave=true", "--add-opens=java.base/java.lang=ALL-UNNAMED"), "-ea",
                List.of("-ea", "--add-opens=java.base/java.lang=ALL-UNNAMED"), "-Dio.fibry.interleave=true")
                .entrySet()) {
            var command = new ArrayList<>(
                    List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
            command.addAll(options.getKey());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), Elsewhere.class.getName()));
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(printed).isZero();
            assertThat(printed.split("controlled: false", -1)).as(printed).hasSize(4);
            assertThat(printed.split("start the JVM with " + options.getValue() + "\\s", -1)).as(printed)
                    .hasSize(2);
        }
    }

    @Promise("58.8")
    @Test
    void aFailureSaysThatNoSeedReplaysIt() {
        assertThatThrownBy(() -> play(5, schedule -> {
            throw new IllegalStateException("on purpose");
        })).isInstanceOf(ScheduleFailedError.class).hasMessageContainingAll("seed 5: ", "on purpose",
                "the seed does not replay it, since the schedule was not controlled: start the JVM otherwise");
    }
}
