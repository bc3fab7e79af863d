package io.fibry.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Child;
import io.fibry.testing.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is done for the first time where hardly any stack is left can still be done later: no call site and no class of the engine
 * is unusable from then on. Each line is a JVM of its own.
 */
class FirstUseTest {
    @Promise("10.3")
    @ParameterizedTest
    @ValueSource(strings = {"FIBERS exec async link name job timer watch left",
        "FIBERS closeOnExit keyed future kept wait tell",
        "THREADS execute timed receive stop apply pill exit task",
        "FIBERS tracked lives urgent held",
        "THREADS aside deferred",
        "CALLER failing failingAsync requestWait counters fail block reject dropOldest dropNewest"})
    void canBeRepeated(String line) throws Exception {
        var arguments = new ArrayList<>(List.of(line.split(" ")));
        assertThat(Child.run(FirstUse.class, List.of(),
                arguments.toArray(String[]::new))).contains("done");
    }
}
