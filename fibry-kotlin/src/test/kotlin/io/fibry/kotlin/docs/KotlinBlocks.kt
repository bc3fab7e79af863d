package io.fibry.kotlin.docs

import io.fibry.ActorSystem
import io.fibry.ActorScope
import io.fibry.ContextCarrier
import io.fibry.CreationStrategy
import io.fibry.Request
import io.fibry.kotlin.Fibers
import io.fibry.kotlin.actor
import io.fibry.kotlin.actorScope
import io.fibry.kotlin.asCoroutineDispatcher
import io.fibry.kotlin.asContextElement
import io.fibry.kotlin.asFlow
import io.fibry.kotlin.awaitAnswer
import io.fibry.kotlin.awaitReply
import io.fibry.kotlin.closeTimeout
import io.fibry.kotlin.openIn
import io.fibry.kotlin.publishTo
import io.fibry.kotlin.timeLeft
import io.fibry.kotlin.withDeadline
import io.fibry.topic.ObservableValue
import io.fibry.topic.SubscriberOptions
import io.fibry.topic.Topic
import io.fibry.topic.TopicOptions
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.cancel
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull

// The code of docs/kotlin.md, in its order: what stands between "begin" and "end" is one block.

// begin
sealed interface Order {
    data class Buy(val item: String, val count: Int) : Order
    data class HowMany(val item: String) : Order
}

class Stock {
    private val left = mutableMapOf("tea" to 10_000)

    fun handle(order: Order): Int = when (order) {
        is Order.Buy -> left.merge(order.item, -order.count, Int::plus) ?: 0
        is Order.HowMany -> left[order.item] ?: throw NoSuchElementException("no ${order.item} here")
    }
}
// end

internal suspend fun anActor() {
    // begin anActor
    actorScope("shop") { shop ->
        val squares = shop.anonymous().actor { n: Int -> n * n }
        val stock = shop.named("stock").state(::Stock).actor { stock, order: Order -> stock.handle(order) }

        println(squares.awaitAnswer(12))                        // prints 144
        println(stock.awaitAnswer(Order.Buy("tea", 3)))         // prints 9997
        stock.sendMessage(Order.Buy("tea", 1))                  // waits for nothing
        println(stock.awaitAnswer(Order.HowMany("tea")))        // prints 9996
    }
    // end
}

// begin
sealed interface Text<R> : Request<R> {
    data class Length(val text: String) : Text<Int>
    data class Upper(val text: String) : Text<String>
}
// end

internal suspend fun requests() {
    // begin requests
    actorScope("texts") { scope ->
        val texts = scope.anonymous().actor { text: Text<*> ->
            when (text) {
                is Text.Length -> text.reply(text.text.length)
                is Text.Upper -> text.reply(text.text.uppercase())
            }
        }
        val length: Int = texts.awaitReply(Text.Length("four"))
        println("$length ${texts.awaitReply(Text.Upper("loud"))}")   // prints 4 LOUD
    }
    // end
}

internal suspend fun failures() {
    // begin failures
    actorScope("shop") { shop ->
        val stock = shop.named("stock").state(::Stock).actor { stock, order: Order -> stock.handle(order) }
        val failure = runCatching { stock.awaitAnswer(Order.HowMany("coffee")) }.exceptionOrNull()
        println(failure?.message)                                    // prints no coffee here

        val slow = shop.named("slow").interruptOnCancel().actor { _: String -> Thread.sleep(3_600_000) }
        println(withTimeoutOrNull(10.milliseconds) { slow.awaitAnswer("work") })  // prints null
    }
    // end
}

internal suspend fun time() {
    // begin time
    actorScope("shop") { shop ->
        val bank = shop.named("bank").actor { _: Int -> timeLeft != null }
        val till = shop.named("till").actor { cents: Int -> bank.apply(cents) }      // a handler asks as in Java
        println(withDeadline(2.seconds) { till.awaitAnswer(500) })   // prints true
        println(till.awaitAnswer(500))                               // prints false
    }
    // end
}

internal suspend fun scopes() {
    // begin scopes
    val sold = ActorSystem.configure("shop").closeTimeout(5.seconds).actorScope { shop ->
        val till = shop.named("till").state(::AtomicInteger).actor { sum, cents: Int -> sum.addAndGet(cents) }
        repeat(100) { launch { till.sendMessage(5) } }
        till
    }
    println(sold.counters().handled())                               // prints 100
    // end
}

internal suspend fun applications() {
    // begin applications
    val application = CoroutineScope(Dispatchers.Default + SupervisorJob())
    val shop = ActorSystem.configure("shop").openIn(application)
    val stock = shop.named("stock").state(::Stock).actor { stock, order: Order -> stock.handle(order) }
    println(application.async { stock.awaitAnswer(Order.Buy("tea", 1)) }.await())    // prints 9999

    application.cancel()
    application.coroutineContext.job.join()
    println(stock.state())                                           // prints STOPPED
    // end
}

internal suspend fun blocking() {
    // begin blocking
    val reading = Dispatchers.Fibers.limitedParallelism(1_000)
    println(withContext(reading) { Thread.currentThread().isVirtual })   // prints true

    val pool = CreationStrategy.pool(2).asCoroutineDispatcher()
    println(withContext(pool) { Thread.currentThread().isVirtual })      // prints false
    // end
}

internal suspend fun suspending() {
    // begin suspending
    actorScope("shop") { shop ->
        val prices = shop.anonymous().actor { item: String ->
            runBlocking {
                val tax = async { delay(1.milliseconds); 1 }
                item.length + tax.await()
            }
        }
        println(prices.awaitAnswer("tea"))                           // prints 4
    }
    // end
}

internal suspend fun flows() {
    // begin flows
    actorScope("shop") { shop ->
        val prices = Topic.open<Int>(shop, "prices", TopicOptions.defaults().keepingLast())
        val level = ObservableValue.open(shop, "level", 7)

        flowOf(3, 5, 9).publishTo(prices)            // each one is handled by all subscribers before the next one
        println(prices.asFlow(SubscriberOptions.defaults().withLast()).first())      // prints 9
        println(level.asFlow().map { it * 2 }.first { it > 10 })     // prints 14
    }
    // end
}

internal suspend fun context() {
    // begin context
    val user = ThreadLocal<String>()
    val carrier = ContextCarrier.of(user)
    ActorSystem.configure("shop").carry(carrier).actorScope { shop ->
        val who = shop.anonymous().actor { _: String -> "for ${user.get()}" }
        user.set("tom")
        withContext(Dispatchers.Default + carrier.asContextElement()) {
            delay(1.milliseconds)
            println(who.awaitAnswer("who?"))                         // prints for tom
        }
    }
    // end
}
