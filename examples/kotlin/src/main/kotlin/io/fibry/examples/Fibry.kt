package io.fibry.examples

import io.fibry.Actor
import io.fibry.CreationStrategy
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.future.await
import kotlinx.coroutines.Dispatchers

/** All that Kotlin needs. Copy it: there is no further dependency. */

/**
 * Runs coroutines where a strategy runs actors. A strategy that has a thread for each actor gives a
 * dispatcher with one thread.
 */
fun CreationStrategy.asCoroutineDispatcher(name: String = "coroutines"): CoroutineDispatcher =
    executorFor(name).asCoroutineDispatcher()

/** Coroutines that may block, on virtual threads; `Dispatchers.LOOM.limitedParallelism(5000)` has a bound. */
val Dispatchers.LOOM: CoroutineDispatcher
    get() = Loom

private val Loom = CreationStrategy.fibers().asCoroutineDispatcher()

/**
 * Asks, and suspends until the answer is there. What the handler throws is thrown here. If the coroutine is
 * cancelled, the message is taken back if it is still queued.
 */
suspend fun <M : Any, R> Actor<M, R>.ask(message: M): R = sendMessageReturn(message).await()
