package io.fibry.kotlin

import io.fibry.testing.PromiseCoverage
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class PromisesTest {
    @Test
    fun `every sentence of this module has a test and every test a sentence`() {
        assertThat(PromiseCoverage.faults("fibry-kotlin", javaClass)).`as`("see docs/semantics*.md").isEmpty()
    }
}
