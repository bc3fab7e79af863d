package io.fibry.kotlin

import io.fibry.ActorSystem
import io.fibry.Actor
import io.fibry.ActorException
import io.fibry.ActorInterruptedException
import io.fibry.ActorScope
import io.fibry.ActorStoppedException
import io.fibry.AskTimeoutException
import io.fibry.Counters
import io.fibry.MailboxFullException
import io.fibry.MailboxPolicy
import io.fibry.OverflowPolicy
import io.fibry.Reply
import io.fibry.Request
import io.fibry.testing.EveryStrategy
import io.fibry.testing.Promise
import io.fibry.testing.Strategy
import io.fibry.testing.Waits
import java.io.PrintWriter
import java.io.StringWriter
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

sealed interface Text<R> : Request<R> {
    data class Length(val text: String) : Text<Int>
    data class Upper(val text: String) : Text<String>
}

class NotThere(text: String) : Exception(text)

/** Cannot be copied, so kotlinx leaves it as it is. */
class NoCopy(val item: String, val count: Int) : Exception("no $count of $item")

class NoText : CancellationException("unread") {
    override fun toString(): String = error("no text")
}

@Timeout(120)
class AsksTest {
    @EveryStrategy
    @Promise("57.1")
    fun `a coroutine gets the answer and holds no thread meanwhile`(strategy: Strategy) = awaiting {
        ActorSystem.configure("asks").strategy(strategy.create()).open().use { scope ->
            val squares = scope.anonymous().actor { n: Int -> n * n }
            assertThat(List(100) { n -> async { squares.awaitAnswer(n) } }.awaitAll().sum()).isEqualTo((0..99).sumOf { it * it })
            assertThat(squares.awaitAnswer(7, 1.minutes)).isEqualTo(49)
        }
    }

    @Test
    @Promise("57.1")
    fun `the one thread of the coroutines is free while they wait`() = awaiting {
        val go = CountDownLatch(1)
        actorScope("asks") { scope ->
            val actor = scope.anonymous().actor { _: String -> go.await() }
            val asked = List(3) { launch(start = CoroutineStart.UNDISPATCHED) { actor.awaitAnswer("wait") } }
            go.countDown() // all three have asked on this thread, and none has an answer
            asked.forEach { it.join() }
        }
    }

    @EveryStrategy
    @Promise("57.1")
    fun `the request names the type of the answer`(strategy: Strategy) = awaiting {
        ActorSystem.configure("asks").strategy(strategy.create()).open().use { scope ->
            val texts: Actor<Text<*>, Reply> = scope.anonymous().actor { text: Text<*> ->
                when (text) {
                    is Text.Length -> text.reply(text.text.length)
                    is Text.Upper -> text.reply(text.text.uppercase())
                }
            }
            val length: Int = texts.awaitReply(Text.Length("four"))
            val upper: String = texts.awaitReply(Text.Upper("loud"), 1.minutes)
            assertThat("$length $upper").isEqualTo("4 LOUD")
        }
    }

    @Test
    @Promise("57.1")
    fun `an answer may be null`() = awaiting {
        actorScope("asks") { scope ->
            val capitals = mapOf("France" to "Paris")
            val actor = scope.anonymous().actor { country: String -> capitals[country] }
            assertThat(actor.awaitAnswer("France")).isEqualTo("Paris")
            assertThat(actor.awaitAnswer("Atlantis")).isNull()
        }
    }

    @EveryStrategy
    @Promise("57.2")
    fun `what the handler throws is thrown by the ask, with the stack of the asker`(strategy: Strategy) = awaiting {
        ActorSystem.configure("asks").strategy(strategy.create()).listener { }.open().use { scope ->
            val failing = scope.named("stock").actor { _: String -> throw NoCopy("pear", 3) }
            val thrown = failure { askForPears(failing) }
            assertThat(thrown).isInstanceOf(NoCopy::class.java)
            val text = StringWriter().also { thrown.printStackTrace(PrintWriter(it)) }.toString()
            assertThat(text).contains("Suppressed: io.fibry.kotlin.AskedHere: 'stock' was asked with a message of java.lang.String")
                .containsSubsequence("AskedHere", "askForPears(AsksTest.kt:")
        }
    }

    private suspend fun askForPears(actor: Actor<String, *>): String {
        val answer = actor.awaitAnswer("pear")
        return "have $answer"
    }

    @Test
    @Promise("57.2")
    fun `an exception that is thrown again and again does not grow`() = awaiting {
        ActorSystem.configure("asks").listener { }.open().use { scope ->
            val same = NoCopy("pear", 1)
            val failing = scope.anonymous().actor { _: String -> throw same }
            repeat(100) { assertThat(failure { failing.awaitAnswer("pear") }).isSameAs(same) }
            assertThat(same.suppressed).hasSize(8)
        }
    }

    /** Otherwise the coroutine would end as if somebody had cancelled it. */
    @Test
    @Promise("57.2")
    fun `a cancellation that a handler throws does not cancel the asker`() = awaiting {
        ActorSystem.configure("asks").listener { }.open().use { scope ->
            val failing = scope.named("stock").actor { _: String -> throw CancellationException("inside") }
            val thrown = failure { failing.awaitAnswer("pear") }
            assertThat(thrown).isExactlyInstanceOf(ActorException::class.java).hasMessageContainingAll("'stock'", "inside")
                .hasRootCauseInstanceOf(CancellationException::class.java)
        }
    }

    @Test
    @Promise("57.2")
    fun `an ask that is refused fails with the reason`() = awaiting {
        val go = CountDownLatch(1)
        ActorSystem.configure("asks").listener { }.open().use { scope ->
            val begun = CountDownLatch(1)
            val actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject())).actor { _: String ->
                begun.countDown()
                go.await()
            }
            actor.sendMessage("runs")
            Waits.on(begun)
            actor.sendMessage("waits")
            assertThat(failure { actor.awaitAnswer("is too much") }).isInstanceOf(MailboxFullException::class.java)
            go.countDown()
        }
    }

    @Test
    @Promise("57.2")
    fun `an ask that is cancelled while it is queued is not handled`() = awaiting {
        val go = CountDownLatch(1)
        val handled = AtomicInteger()
        actorScope("asks") { scope ->
            val actor = scope.anonymous().actor { n: Int ->
                go.await()
                handled.addAndGet(n)
            }
            actor.sendMessage(1)
            val asked = async(start = CoroutineStart.UNDISPATCHED) { actor.awaitAnswer(100) }
            asked.cancel(CancellationException("changed my mind"))
            asked.join()
            go.countDown()
            assertThat(actor.awaitAnswer(10)).isEqualTo(11)
            assertThat(actor.counters().expired()).isOne()
        }
    }

    @Test
    @Promise("57.2")
    fun `a coroutine that is cancelled sends nothing`() = awaiting {
        actorScope("asks") { scope ->
            val actor = scope.anonymous().actor { n: Int -> n }
            val asked = launch {
                coroutineContext.cancel()
                actor.awaitAnswer(1)
            }
            asked.join()
            actor.awaitAnswer(2)
            assertThat(actor.counters()).isEqualTo(Counters(1, 0, 0, 0, 0, 0))
        }
    }

    @Test
    @Promise("57.2")
    fun `a cancelled ask interrupts the handler if the actor was built so`() = awaiting {
        val begun = CountDownLatch(1)
        val interrupted = CountDownLatch(1)
        actorScope("asks") { scope ->
            val actor = scope.anonymous().interruptOnCancel().actor { _: String -> Waits.untilInterrupted(begun, interrupted) }
            val asked = launch(start = CoroutineStart.UNDISPATCHED) { actor.awaitAnswer("work") }
            Waits.on(begun)
            asked.cancel()
            Waits.on(interrupted)
            asked.join()
        }
    }

    @EveryStrategy
    @Promise("57.2")
    fun `the stop of the actor ends the ask`(strategy: Strategy) = awaiting {
        if (!strategy.isAsync) {
            return@awaiting // a sender runs the handler itself
        }
        val begun = CountDownLatch(1)
        ActorSystem.configure("asks").strategy(strategy.create()).listener { }.open().use { scope ->
            val actor = scope.named("stock").actor { _: String -> Waits.untilInterrupted(begun, CountDownLatch(1)) }
            actor.sendMessage("busy")
            Waits.on(begun)
            val asked = async(start = CoroutineStart.UNDISPATCHED) { failure { actor.awaitAnswer("queued") } }
            actor.awaitStop(Duration.ZERO)
            assertThat(asked.await()).isInstanceOf(ActorStoppedException::class.java).hasMessageContaining("'stock'")
            assertThat(failure { actor.awaitAnswer("late") }).isInstanceOf(ActorStoppedException::class.java)
        }
    }

    /** Otherwise the coroutine would look as if somebody had interrupted it. */
    @EveryStrategy
    @Promise("57.2")
    fun `an ask that is handled while the actor is stopped by force is told so`(strategy: Strategy) = awaiting {
        if (!strategy.isAsync) {
            return@awaiting // a sender runs the handler itself
        }
        ActorSystem.configure("asks").strategy(strategy.create()).listener { }.open().use { scope ->
            val begun = CountDownLatch(1)
            val actor = scope.named("stock").actor { _: String -> Waits.untilInterrupted(begun, CountDownLatch(1)) }
            val asked = async(start = CoroutineStart.UNDISPATCHED) { failure { actor.awaitAnswer("handled") } }
            Waits.on(begun)
            actor.awaitStop(Duration.ZERO)
            assertThat(asked.await()).isInstanceOf(ActorStoppedException::class.java)
                .hasMessageContainingAll("'stock'", "java.lang.String", "interrupted").hasRootCauseInstanceOf(InterruptedException::class.java)
            assertThat(Thread.currentThread().isInterrupted).isFalse()
        }
    }

    @Test
    @Promise("57.2")
    fun `an interrupt that a handler throws does not interrupt the asker`() = awaiting {
        ActorSystem.configure("asks").listener { }.open().use { scope ->
            val failing = scope.named("stock").actor { text: String -> throw if (text == "java") InterruptedException("inside") else ActorInterruptedException("inside") }
            for (text in listOf("java", "fibry")) {
                assertThat(failure { failing.awaitAnswer(text) }).isExactlyInstanceOf(ActorException::class.java)
                    .hasMessageContainingAll("'stock'", "java.lang.String", "inside").hasRootCauseInstanceOf(
                        if (text == "java") InterruptedException::class.java else ActorInterruptedException::class.java,
                    )
            }
        }
    }

    @Test
    @Promise("57.2")
    fun `an ask ends if the failure cannot tell its text`() = awaiting {
        ActorSystem.configure("asks").listener { }.open().use { scope ->
            val failing = scope.named("stock").actor { _: String -> throw NoText() }
            assertThat(failure { failing.awaitAnswer("work") }).isInstanceOf(ActorException::class.java)
                .hasMessageContainingAll("'stock'", NoText::class.java.name)
        }
    }

    @Test
    @Promise("57.2")
    fun `a time limit ends the ask, and takes it back`() = awaiting {
        val begun = CountDownLatch(1)
        val go = CountDownLatch(1)
        actorScope("asks") { scope ->
            val actor = scope.named("slow").actor { _: String ->
                begun.countDown()
                go.await()
            }
            actor.sendMessage("busy")
            Waits.on(begun)
            assertThat(failure { actor.awaitAnswer("late", 5.milliseconds) }).isInstanceOf(AskTimeoutException::class.java)
                .hasMessageContaining("'slow'")
            assertThat(actor.mailboxSize()).isOne()
            while (actor.mailboxSize() < 2) { // the time may be over before the message is sent
                assertThat(withTimeoutOrNull(5.milliseconds) { actor.awaitAnswer("late") }).isNull()
            }
            go.countDown()
            assertThat(actor.awaitStop(1.minutes).counters().expired()).isEqualTo(2)
        }
    }

    @Test
    @Promise("57.2")
    fun `a time limit is more than zero`() = awaiting {
        actorScope("asks") { scope ->
            val actor = scope.anonymous().actor { n: Int -> n }
            assertThat(failure { actor.awaitAnswer(1, Duration.ZERO) }).isInstanceOf(IllegalArgumentException::class.java)
                .hasMessageContaining("0s")
            assertThat(actor.awaitAnswer(1, Duration.INFINITE)).isOne()
        }
    }

    @EveryStrategy
    @Promise("57.6")
    fun `the time that is left goes along`(strategy: Strategy) = awaiting {
        ActorSystem.configure("asks").strategy(strategy.create()).open().use { scope ->
            val inner = scope.anonymous().actor { _: String -> timeLeft }
            val outer = scope.anonymous().actor { text: String -> inner.apply(text) }
            assertThat(outer.awaitAnswer("no limit")).isNull()
            assertLimit(outer.awaitAnswer("one minute", 1.minutes), 1.minutes)
            withDeadline(1.minutes) {
                assertLimit(outer.awaitAnswer("the deadline"), 1.minutes)
                assertLimit(outer.awaitAnswer("the smaller one", 30.seconds), 30.seconds)
                withDeadline(10.minutes) {
                    assertLimit(coroutineScope { async { outer.awaitAnswer("the outer one") } }.await(), 1.minutes)
                }
                withContext(NonCancellable) { assertThat(outer.awaitAnswer("cleans up")).isNull() }
            }
            withDeadline(Duration.INFINITE) { assertThat(outer.awaitAnswer("no limit")).isNull() }
        }
    }

    private fun assertLimit(left: Duration?, limit: Duration) {
        assertThat(left != null && left > Duration.ZERO && left <= limit).`as`("%s of %s", left, limit).isTrue()
    }

    @Test
    @Promise("57.6")
    fun `a deadline that is over ends the code as withTimeout does`() = awaiting {
        val go = CountDownLatch(1)
        actorScope("asks") { scope ->
            val actor = scope.anonymous().actor { _: String -> go.await() }
            repeat(20) {
                assertThat(failure { withDeadline(2.milliseconds) { actor.awaitAnswer("late") } })
                    .isInstanceOf(TimeoutCancellationException::class.java)
                assertThat(failure { withDeadline(2.milliseconds) { coroutineScope { launch { actor.awaitAnswer("late") } } } })
                    .isInstanceOf(TimeoutCancellationException::class.java)
            }
            assertThat(failure { withDeadline(1.minutes) { actor.awaitAnswer("late", 2.milliseconds) } })
                .isInstanceOf(AskTimeoutException::class.java)
            assertThat(failure { withDeadline(Duration.ZERO) { actor.awaitAnswer("late") } })
                .isInstanceOf(TimeoutCancellationException::class.java)
            go.countDown()
        }
    }

    @Test
    @Promise("57.6")
    fun `an ask after the deadline is not sent`() = awaiting {
        actorScope("asks") { scope ->
            val actor = scope.anonymous().actor { n: Int -> n }
            val past = TimeSource.Monotonic.markNow() - 1.seconds
            val thrown = failure { withContext(AskDeadline(past, coroutineContext.job)) { async { actor.awaitAnswer(1) }.await() } }
            assertThat(thrown).isInstanceOf(AskTimeoutException::class.java).hasMessageContaining("was not asked")
            actor.awaitAnswer(2)
            assertThat(actor.counters()).isEqualTo(Counters(1, 0, 0, 0, 0, 0))
        }
    }
}
