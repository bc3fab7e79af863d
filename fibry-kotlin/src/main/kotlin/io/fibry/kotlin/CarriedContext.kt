@file:JvmName("Contexts")

package io.fibry.kotlin

import io.fibry.ContextCarrier
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.ThreadContextElement

/**
 * Captures what the carrier finds on this thread, as an element for the context of coroutines: it is restored wherever the coroutine runs, after
 * each suspension, and so it goes with the messages that the coroutine sends.
 *
 * ```
 * MDC.put("request", "r-17")
 * withContext(ContextCarrier.mdc().asContextElement()) {
 *     stock.awaitAnswer(order)                 // the handler logs with r-17
 *     log.info("still r-17, on whatever thread this is")
 * }
 * ```
 *
 * What the coroutine changes itself is lost with its next suspension.
 *
 * @return the element
 * @throws IllegalArgumentException if the carrier is one of a `ScopedValue`, or of another value that is bound to a block of code: a coroutine has no
 *     such block
 */
public fun ContextCarrier.asContextElement(): CoroutineContext.Element {
    val captured = capture()
    try {
        captured.restore().run()
    } catch (unfit: IllegalStateException) {
        throw IllegalArgumentException("carrier $this has no value that a coroutine can take along: ${unfit.message}", unfit)
    }
    return CarriedContext(this, captured)
}

private class CarriedContext(carrier: ContextCarrier, private val captured: ContextCarrier.Captured) : ThreadContextElement<Runnable> {
    override val key: CoroutineContext.Key<CarriedContext> = Key(carrier)

    override fun updateThreadContext(context: CoroutineContext): Runnable = captured.restore()

    override fun restoreThreadContext(context: CoroutineContext, oldState: Runnable) = oldState.run()

    /** One context can have elements of several carriers. */
    private data class Key(private val carrier: ContextCarrier) : CoroutineContext.Key<CarriedContext>
}
