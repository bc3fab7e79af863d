package io.fibry.kotlin

import io.fibry.testing.PromiseCoverage
import java.nio.file.Files
import java.nio.file.Path
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class PromisesTest {
    @Test
    fun `every sentence of this module has a test and every test a sentence`() {
        val page = Files.readString(Path.of("..", "docs", "semantics.md"))
        val classes = Path.of(javaClass.protectionDomain.codeSource.location.toURI())
        assertThat(PromiseCoverage.faults(PromiseCoverage.sentences(page, "fibry-kotlin"), PromiseCoverage.proved(classes)))
            .`as`("see docs/semantics.md").isEmpty()
    }
}
