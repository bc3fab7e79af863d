package io.fibry.examples

import io.fibry.ActorScope
import io.fibry.CreationStrategy
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
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
        assertThat(printed.toString().lines()).anyMatch { it.startsWith("10,000 coroutines that block for 50 ms on Dispatchers.LOOM") }
            .contains("apples left: 7000", "pears: no pear here", "an answer within 10 ms: null")
    }

    /** A pool of threads with fewer than these would hang here. */
    @Test
    fun `five hundred coroutines of LOOM may block at the same time`() = runBlocking<Unit> {
        val all = CyclicBarrier(500)
        List(500) { launch(Dispatchers.LOOM.limitedParallelism(500)) { all.await() } }.forEach { it.join() }
        assertThat(withContext(Dispatchers.LOOM) { Thread.currentThread().isVirtual }).isTrue()
    }

    @Test
    fun `a bound of LOOM is kept`() = runBlocking<Unit> {
        val running = AtomicInteger()
        val most = AtomicInteger()
        val together = CyclicBarrier(3)
        val three = Dispatchers.LOOM.limitedParallelism(3)
        List(60) {
            launch(three) {
                most.accumulateAndGet(running.incrementAndGet(), ::maxOf)
                together.await()
                running.decrementAndGet()
            }
        }.forEach { it.join() }
        assertThat(most.get()).isEqualTo(3)
    }

    @Test
    fun `other strategies are dispatchers as well`() = runBlocking<Unit> {
        CreationStrategy.pool(2).use { pool ->
            val thread = withContext(pool.asCoroutineDispatcher()) { Thread.currentThread() }
            assertThat(thread.isVirtual).isFalse()
        }
    }

    @Test
    fun `what a handler throws is thrown by the ask`() {
        ActorScope.open("kotlin").use { scope ->
            val failing = scope.anonymous().newActorWithReturn { n: Int -> check(n < 0) { "$n is too much" } }
            assertThatThrownBy { runBlocking { failing.ask(7) } }.isInstanceOf(IllegalStateException::class.java)
                .hasMessage("7 is too much")
        }
    }

    @Test
    fun `an ask that is cancelled while it is queued is not handled`() = runBlocking<Unit> {
        val go = CountDownLatch(1)
        val handled = AtomicInteger()
        ActorScope.open("kotlin").use { scope ->
            val actor = scope.anonymous().newActorWithReturn { n: Int ->
                go.await()
                handled.addAndGet(n)
            }
            actor.sendMessage(1)
            val asked = async(start = CoroutineStart.UNDISPATCHED) { actor.ask(100) }
            asked.cancel(CancellationException("changed my mind"))
            asked.join()
            go.countDown()
            assertThat(actor.ask(10)).isEqualTo(11)
            assertThat(actor.counters().expired()).isOne()
        }
    }
}
