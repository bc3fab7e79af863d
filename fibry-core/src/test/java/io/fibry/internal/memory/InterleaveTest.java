package io.fibry.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Child;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A mark is an assertion: a JVM without assertions does not reach it, and plays no scenario that would explore nothing. */
class InterleaveTest {
    private static final String ON = "-Dio.fibry.interleave=true";

    @Test
    void aMarkRunsTheHook() throws Exception {
        assertThat(Child.run(Program.class, List.of("-ea", ON))).contains("hook, end");
    }

    @Test
    void withoutAssertionsNoScenarioIsPlayed() throws Exception {
        assertThat(Child.run(Program.class, List.of(ON))).contains("start the JVM with -ea");
    }

    @Test
    void withoutThePropertyNoScenarioIsPlayed() throws Exception {
        assertThat(Child.run(Program.class, List.of("-ea")))
                .contains("start the JVM with -Dio.fibry.interleave=true");
    }

    static final class Program {
        public static void main(String[] arguments) {
            try {
                Interleave.hook(() -> System.out.print("hook, "));
            } catch (IllegalStateException off) {
                System.out.println(off.getMessage());
                return;
            }
            assert Interleave.here();
            System.out.println("end");
        }
    }
}
