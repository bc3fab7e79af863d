package io.fibry.kotlin

import io.fibry.ActorSystem
import io.fibry.Actor
import io.fibry.ActorScope
import io.fibry.ReceivingReplyContext
import io.fibry.time.ManualTime
import io.fibry.testing.EveryStrategy
import io.fibry.testing.Promise
import io.fibry.testing.Strategy
import java.time.Duration
import java.util.Optional
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(120)
class ActorsTest {
    sealed interface Order {
        data class Buy(val item: String, val count: Int) : Order
        data class HowMany(val item: String) : Order
        data object Close : Order
    }

    class Stock {
        val left = mutableMapOf("tea" to 10)
    }

    @EveryStrategy
    @Promise("57.1")
    fun `a lambda with a receiver handles the messages of a sealed type`(strategy: Strategy) = awaiting {
        ActorSystem.configure("actors").strategy(strategy.create()).open().use { scope ->
            val stock = scope.named("stock").state(::Stock).actor { stock, order: Order ->
                when (order) {
                    is Order.Buy -> stock.left.merge(order.item, -order.count, Int::plus) ?: 0
                    is Order.HowMany -> stock.left[order.item] ?: -1
                    Order.Close -> askExit().let { 0 }
                }
            }
            assertThat(stock.awaitAnswer(Order.Buy("tea", 3))).isEqualTo(7)
            assertThat(stock.awaitAnswer(Order.HowMany("coffee"))).isEqualTo(-1)
            assertThat(stock.execWithState { state -> state.left["tea"] = 100 }).isTrue()
            assertThat(stock.awaitAnswer(Order.HowMany("tea"))).isEqualTo(100)
            stock.awaitAnswer(Order.Close)
            assertThat(stock.waitForExit(1.minutes.toJavaDuration())).isTrue()
        }
    }

    @Test
    @Promise("57.1")
    fun `the receiver is the context of the actor`() = awaiting {
        actorScope("actors") { scope ->
            val actor: Actor<String, String> = scope.named("parent").actor { text: String ->
                val child = child("child").actor { n: Int -> n * 2 }
                "$text ${self().name()} ${child.apply(21)}".also { child.close() }
            }
            assertThat(actor.awaitAnswer("I am")).isEqualTo("I am parent 42")
        }
    }

    /** The supertype of its context that has the receives is not public. */
    @Test
    fun `a receiving actor takes its messages by calls and by references`() = awaiting {
        actorScope("actors") { scope ->
            val actor = scope.anonymous().newReceivingActorWithReturn { inbox: ReceivingReplyContext<String, String> ->
                val first = inbox.receive { it.startsWith("s") }
                val next: () -> String = inbox::receive
                val soon: (Duration) -> Optional<String> = inbox::receive
                inbox.reply(next() + soon(Duration.ofMinutes(1)).orElseThrow() + first)
            }
            actor.sendMessage("re")
            actor.sendMessage("second")
            assertThat(actor.awaitAnswer("al ")).isEqualTo("real second")
        }
    }

    /** Dumps and meters group actors by it. */
    @Test
    @Promise("57.1")
    fun `the class of the handler is that of the place where the lambda stands`() = awaiting {
        actorScope("actors") { scope ->
            scope.named("one").actor { n: Int -> n }
            scope.named("two").state(::Stock).actor { _, n: Int -> n }
            val handlers = scope.dump().scope().handlers().map { it.handler() }
            assertThat(handlers).hasSize(2).doesNotHaveDuplicates().allMatch { it.contains("ActorsTest") }
        }
    }

    @Test
    @Promise("57.1")
    fun `the times of Kotlin are those of Java`() = awaiting {
        val time = ManualTime()
        ActorSystem.configure("actors").time(time).closeTimeout(5.seconds).listener { }.open().use { scope ->
            assertThat(scope.closeTimeout()).isEqualTo(5.seconds.toJavaDuration())
            val ticks = ConcurrentLinkedQueue<String>()
            val clock = scope.anonymous().actor { text: String ->
                if (text == "set") {
                    timers().once("once", 3.seconds, "once")
                    timers().fixedRate("rate", 4.seconds, "rate")
                    timers().fixedDelay("delay", 5.seconds, "delay")
                } else {
                    ticks.add(text)
                }
                Unit
            }
            clock.awaitAnswer("set")
            time.advance(8.seconds.toJavaDuration())
            assertThat(ticks).containsExactly("once", "rate", "delay", "rate")

            val quiet = scope.anonymous().stopWhenIdle(10.seconds).actor { _: String -> }
            quiet.awaitAnswer("once")
            time.advance(11.seconds.toJavaDuration())
            assertThat(quiet.waitForExit(1.minutes.toJavaDuration())).isTrue()

            val late = scope.anonymous().actor { text: String ->
                if (text == "wait") {
                    self().sendMessage("in time", 5.seconds)
                    self().sendMessage("late", 1.seconds)
                    time.advance(2.seconds.toJavaDuration())
                }
                ticks.add(text)
            }
            ticks.clear()
            late.awaitAnswer("wait")
            assertThat(scope.awaitIdle(60.seconds)).isTrue()
            assertThat(ticks).contains("in time").doesNotContain("late")
        }
    }
}
