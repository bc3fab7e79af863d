/**
 * From Kotlin: coroutines on virtual threads, and actors that are asked without blocking a thread.
 *
 * Look at: the coroutines of the first part *block*, ten thousand of them, and nothing is slow; and in the
 * second part handlers are plain code, while those who ask suspend.
 */
@file:JvmName("Kotlin")

package io.fibry.examples

import io.fibry.ActorScope
import io.fibry.StatefulActorBuilder
import kotlin.time.measureTime
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withTimeoutOrNull

sealed interface Order {
    data class Buy(val item: String, val count: Int) : Order
    data class HowMany(val item: String) : Order
}

class Stock {
    private val left = mutableMapOf("apple" to 10_000)

    fun handle(order: Order): Int = when (order) {
        is Order.Buy -> left.merge(order.item, -order.count, Int::plus) ?: 0
        is Order.HowMany -> left[order.item] ?: throw NoSuchElementException("no ${order.item} here")
    }
}

fun main() = runBlocking {
    for ((name, dispatcher) in listOf(
        "Dispatchers.LOOM" to Dispatchers.LOOM.limitedParallelism(5_000),
        "Dispatchers.IO" to Dispatchers.IO.limitedParallelism(200),
    )) {
        val time = measureTime {
            supervisorScope {
                repeat(10_000) {
                    launch(dispatcher) { Thread.sleep(50) } // blocks its thread
                }
            }
        }
        println("10,000 coroutines that block for 50 ms on $name: $time")
    }

    ActorScope.open("shop").use { scope ->
        val stock = scope.named("stock").state(::Stock).asking(Stock::handle)
        List(1_000) { async { stock.ask(Order.Buy("apple", 3)) } }.awaitAll()
        println("apples left: ${stock.ask(Order.HowMany("apple"))}")

        val failure = runCatching { stock.ask(Order.HowMany("pear")) }.exceptionOrNull()
        println("pears: ${failure?.message}")

        val slow = scope.named("slow").newActorWithReturn { seconds: Long -> Thread.sleep(seconds * 1_000) }
        slow.sendMessage(1)
        println("an answer within 10 ms: ${withTimeoutOrNull(10) { slow.ask(2) }}") // taken back: it was queued
    }
}

/** Lambdas of Java's overloads are hard to tell apart for Kotlin; this one knows which is meant. */
private fun <S : Any, M : Any, R> StatefulActorBuilder<S>.asking(handler: (S, M) -> R) =
    newActorWithReturn<M, R> { state, message -> handler(state, message) }
