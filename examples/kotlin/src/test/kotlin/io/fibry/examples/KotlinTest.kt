package io.fibry.examples

import java.io.ByteArrayOutputStream
import java.io.PrintStream
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(120)
class KotlinTest {
    @Test
    fun `the example prints what it says`() {
        val printed = ByteArrayOutputStream()
        val before = System.out
        System.setOut(PrintStream(printed, true))
        try {
            main()
        } finally {
            System.setOut(before)
        }
        assertThat(printed.toString().lines())
            .anyMatch { it.startsWith("10,000 coroutines that block for 50 ms on Dispatchers.Fibers") }
            .containsSubsequence(
                "apples left: 7000",
                "pears: no pear here",
                "the till says: 13998",
                "the flow of sales comes to 100",
                "an answer within 10 ms: null",
                "no actor is left",
            )
    }
}
