package io.fibry.jackson;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.PromiseCoverage;
import org.junit.jupiter.api.Test;

class PromisesTest {
    @Test
    void everySentenceOfThisModuleHasATestAndEveryTestASentence() throws Exception {
        assertThat(PromiseCoverage.faults("fibry-jackson", getClass())).as("see docs/semantics*.md")
                .isEmpty();
    }
}
