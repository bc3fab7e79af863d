package io.fibry.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.PromiseCoverage;
import org.junit.jupiter.api.Test;

class PromisesTest {
    @Test
    void everySentenceOfThisModuleHasATestAndEveryTestASentence() throws Exception {
        assertThat(PromiseCoverage.faults("fibry-opentelemetry", getClass())).as("see docs/semantics*.md")
                .isEmpty();
    }
}
