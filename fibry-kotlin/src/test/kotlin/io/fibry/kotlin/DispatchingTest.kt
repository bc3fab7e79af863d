package io.fibry.kotlin

import io.fibry.CreationStrategy
import io.fibry.testing.EveryStrategy
import io.fibry.testing.Promise
import io.fibry.testing.Strategy
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(120)
class DispatchingTest {
    /** A pool of threads with fewer than these would hang here. */
    @Test
    @Promise("57.10")
    fun `five hundred coroutines may block at the same time`() = awaiting {
        val all = CyclicBarrier(500)
        List(500) { launch(Dispatchers.Fibers) { all.await() } }.joinAll()
        assertThat(withContext(Dispatchers.Fibers) { Thread.currentThread().isVirtual }).isTrue()
    }

    @Test
    @Promise("57.10")
    fun `a bound is kept`() = awaiting {
        val running = AtomicInteger()
        val most = AtomicInteger()
        val together = CyclicBarrier(3)
        val three = Dispatchers.Fibers.limitedParallelism(3)
        List(60) {
            launch(three) {
                most.accumulateAndGet(running.incrementAndGet(), ::maxOf)
                together.await()
                running.decrementAndGet()
            }
        }.joinAll()
        assertThat(most.get()).isEqualTo(3)
    }

    @EveryStrategy
    @Promise("57.10")
    fun `a strategy runs coroutines`(strategy: Strategy) = awaiting {
        if (strategy == Strategy.CALLER) {
            assertThat(failure { strategy.create().asCoroutineDispatcher() }).isInstanceOf(IllegalArgumentException::class.java)
                .hasMessageContaining("Dispatchers.Unconfined")
            return@awaiting
        }
        if (strategy == Strategy.THREADS) { // the thread of an actor is given one turn at a time
            assertThat(failure { strategy.create().asCoroutineDispatcher() }).isInstanceOf(IllegalArgumentException::class.java)
                .hasMessageContaining("one turn at a time")
            return@awaiting
        }
        val dispatcher = strategy.create().asCoroutineDispatcher("work")
        val thread = withContext(dispatcher) {
            yield()
            delay(1)
            Thread.currentThread()
        }
        assertThat(thread).isNotSameAs(Thread.currentThread())
        assertThat(dispatcher).hasToString("StrategyDispatcher[work]")
        val ran = AtomicInteger()
        List(100) { launch(dispatcher) { ran.incrementAndGet() } }.joinAll()
        assertThat(ran.get()).isEqualTo(100)
    }

    @Test
    @Promise("57.10")
    fun `a coroutine that the strategy refuses is cancelled`() = awaiting {
        for (why in listOf(RejectedExecutionException("full"), IllegalStateException("closed"), OutOfMemoryError("planned"))) {
            val refusing = CreationStrategy.of { throw why }.asCoroutineDispatcher("small")
            val ran = CountDownLatch(1)
            val refused = launch(refusing) { ran.countDown() }
            refused.join()
            assertThat(refused.isCancelled).isTrue()
            assertThat(ran.count).isOne()
            val thrown = failure { withContext(refusing) { } }
            assertThat(thrown).isInstanceOf(CancellationException::class.java).hasMessageContaining(why.message)
        }
    }

    @Test
    @Promise("57.10")
    fun `a coroutine that the strategy refuses is cancelled behind a bound, too`() = awaiting {
        val refuses = AtomicBoolean()
        val strategy = CreationStrategy.of { task ->
            if (refuses.get()) throw RejectedExecutionException("full")
            Thread.startVirtualThread(task)
        }
        val two = strategy.asCoroutineDispatcher("small").limitedParallelism(2)
        for (bounded in listOf(two, two.limitedParallelism(1))) {
            refuses.set(true)
            val refused = List(40) { async(bounded + SupervisorJob()) { "ran" } }
            refused.joinAll()
            assertThat(refused).allMatch { it.isCancelled }
            refuses.set(false)
            while (runCatching { withContext(bounded) { } }.isFailure) {
                yield() // the turn that was refused has not ended, and takes what comes
            }
            assertThat(failure { refused.first().await() }).isInstanceOf(CancellationException::class.java).hasMessageContaining("'small'")
        }
    }
}
