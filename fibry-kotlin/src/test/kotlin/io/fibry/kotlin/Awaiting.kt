package io.fibry.kotlin

import io.fibry.testing.Patience
import kotlin.time.toKotlinDuration
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.fail

/** Runs a test in a coroutine, on one thread, and fails if it lasts for ever. */
internal fun awaiting(test: suspend CoroutineScope.() -> Unit) = runBlocking {
    withTimeout(Patience.LIMIT.toKotlinDuration(), test)
}

/** What the code throws, cancellations included. */
internal inline fun failure(code: () -> Unit): Throwable {
    try {
        code()
    } catch (expected: Throwable) {
        return expected
    }
    fail("nothing was thrown")
}
