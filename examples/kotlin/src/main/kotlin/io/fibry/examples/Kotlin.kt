/**
 * From Kotlin: coroutines on virtual threads, and actors that are asked without blocking a thread.
 *
 * Look at: the coroutines of the first part *block*, ten thousand of them, and nothing is slow; and in the
 * second part handlers are plain code, while those who ask suspend. The actors end with their block.
 */
@file:JvmName("Kotlin")

package io.fibry.examples

import io.fibry.kotlin.Fibers
import io.fibry.kotlin.actor
import io.fibry.kotlin.actorScope
import io.fibry.kotlin.asFlow
import io.fibry.kotlin.awaitAnswer
import io.fibry.kotlin.withDeadline
import io.fibry.topic.ObservableValue
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
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
        "Dispatchers.Fibers" to Dispatchers.Fibers.limitedParallelism(5_000),
        "Dispatchers.IO" to Dispatchers.IO.limitedParallelism(200),
    )) {
        val time = measureTime {
            coroutineScope {
                repeat(10_000) {
                    launch(dispatcher) { Thread.sleep(50) } // blocks its thread
                }
            }
        }
        println("10,000 coroutines that block for 50 ms on $name: $time")
    }

    actorScope("shop") { shop ->
        val stock = shop.named("stock").state(::Stock).actor { stock, order: Order -> stock.handle(order) }
        List(1_000) { async { stock.awaitAnswer(Order.Buy("apple", 3)) } }.awaitAll()
        println("apples left: ${stock.awaitAnswer(Order.HowMany("apple"))}")

        val failure = runCatching { stock.awaitAnswer(Order.HowMany("pear")) }.exceptionOrNull()
        println("pears: ${failure?.message}")

        // The till asks the stock, as in Java, and has no more time for it than its own asker gives it.
        val till = shop.named("till").actor { item: String -> 2 * stock.apply(Order.Buy(item, 1)) }
        println("the till says: ${withDeadline(10.seconds) { till.awaitAnswer("apple") }}")

        val sold = ObservableValue.open(shop, "sold", 0)
        launch { repeat(100) { sold.update { it + 1 } } }
        println("the flow of sales comes to ${sold.asFlow().first { it == 100 }}")

        val slow = shop.named("slow").interruptOnCancel().actor { seconds: Long -> Thread.sleep(seconds * 1_000) }
        println("an answer within 10 ms: ${withTimeoutOrNull(10.milliseconds) { slow.awaitAnswer(3_600) }}") // interrupted
    }
    println("no actor is left")
}
