package io.fibry.kotlin.docs

import ch.qos.logback.classic.Level
import ch.qos.logback.classic.Logger
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.nio.file.Files
import java.nio.file.Path
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.DynamicTest.dynamicTest
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestFactory
import org.slf4j.LoggerFactory

/** The code of docs/kotlin.md is compiled as a part of the tests, and runs. */
class KotlinDocsTest {
    private companion object {
        val BLOCK = Regex("^```kotlin\n(.*?)^```$", setOf(RegexOption.MULTILINE, RegexOption.DOT_MATCHES_ALL))
        val COMPILED = Regex("^ *// begin ?(\\w*)\n(.*?)^ *// end$", setOf(RegexOption.MULTILINE, RegexOption.DOT_MATCHES_ALL))
        val PRINTS = Regex("// prints (.*)$", RegexOption.MULTILINE)
        val RUNS: Map<String, suspend () -> Unit> = mapOf(
            "anActor" to ::anActor,
            "requests" to ::requests,
            "failures" to ::failures,
            "time" to ::time,
            "scopes" to ::scopes,
            "applications" to ::applications,
            "blocking" to ::blocking,
            "suspending" to ::suspending,
            "flows" to ::flows,
            "context" to ::context,
        )
    }

    private val compiled = COMPILED.findAll(Files.readString(Path.of("src/test/kotlin/io/fibry/kotlin/docs/KotlinBlocks.kt")))
        .map { it.groupValues[1] to it.groupValues[2].trimIndent().trim() }.toList()

    @Test
    fun `each block of the page is compiled`() {
        val blocks = BLOCK.findAll(Files.readString(Path.of("..", "docs", "kotlin.md"))).map { it.groupValues[1].trim() }.toList()
        assertThat(blocks).isEqualTo(compiled.map { it.second })
        assertThat(compiled.map { it.first }.filter { it.isNotEmpty() }).isEqualTo(RUNS.keys.toList())
    }

    @TestFactory
    fun `a block prints what it says`(): List<DynamicTest> = compiled.filter { it.first.isNotEmpty() }.map { (name, code) ->
        dynamicTest(name) {
            val expected = PRINTS.findAll(code).map { it.groupValues[1].trim() }.toList()
            assertThat(expected).isNotEmpty()
            assertThat(printed(RUNS.getValue(name))).isEqualTo(expected)
        }
    }

    private fun printed(run: suspend () -> Unit): List<String> {
        val printed = ByteArrayOutputStream()
        val before = System.out
        val log = LoggerFactory.getLogger("io.fibry") as Logger // its lines would be among those of the block
        log.level = Level.OFF
        System.setOut(PrintStream(printed, true))
        try {
            runBlocking { run() }
        } finally {
            System.setOut(before)
            log.level = null
        }
        return printed.toString().trim().lines()
    }
}
