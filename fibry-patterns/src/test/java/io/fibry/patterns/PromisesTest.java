package io.fibry.patterns;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.PromiseCoverage;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PromisesTest {
    @Test
    void everySentenceOfThisModuleHasATestAndEveryTestASentence() throws Exception {
        var page = Files.readString(Path.of("..", "docs", "semantics-patterns.md"));
        var classes = Path.of(getClass().getProtectionDomain().getCodeSource().getLocation().toURI());
        assertThat(PromiseCoverage.faults(PromiseCoverage.sentences(page),
                PromiseCoverage.proved(classes))).as("see docs/semantics-patterns.md").isEmpty();
    }
}
