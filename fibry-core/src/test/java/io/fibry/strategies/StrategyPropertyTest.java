package io.fibry.strategies;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The system property is read once, so each value needs a JVM of its own. */
class StrategyPropertyTest {
    /** What the other JVM runs. */
    static final class Main {
        private Main() {
        }

        public static void main(String[] args) {
            try (var actor =
                    ActorSystem.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread())) {
                var thread = actor.apply(1);
                System.out.println(ActorSystem.defaultStrategy() + " " + (thread.isVirtual() ? "virtual"
                        : thread == Thread.currentThread() ? "sender" : "platform"));
            }
        }
    }

    private static String run(String... options) throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var command = new ArrayList<>(List.of(java));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @ParameterizedTest
    @CsvSource({"fibers, fibers virtual", "threads, threads platform", "caller, caller sender",
        "pool, pool("})
    void itNamesTheDefault(String name, String expected) throws Exception {
        assertThat(run("-Dio.fibry.strategy=" + name)).contains(expected);
    }

    @Test
    void withoutItTheDefaultIsFibers() throws Exception {
        assertThat(run()).contains("fibers virtual");
    }

    @Test
    void anUnknownNameIsAnErrorThatSaysWhichThereAre() throws Exception {
        assertThat(run("-Dio.fibry.strategy=Fiber")).contains("'Fiber'", "fibers, threads, caller or pool");
    }
}
