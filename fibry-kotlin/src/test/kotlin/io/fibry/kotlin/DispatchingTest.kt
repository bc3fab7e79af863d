package io.fibry.kotlin

import io.fibry.CreationStrategy
import io.fibry.testing.EveryStrategy
import io.fibry.testing.Promise
import io.fibry.testing.Strategy
import io.fibry.testing.Waits
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.EmptyCoroutineContext
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineStart
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
        val refusing = CreationStrategy.of { throw RejectedExecutionException("full") }.asCoroutineDispatcher("small")
        val ran = CountDownLatch(1)
        val refused = launch(refusing) { ran.countDown() }
        refused.join()
        assertThat(refused.isCancelled).isTrue()
        assertThat(ran.count).isOne()
        val thrown = failure { withContext(refusing) { } }
        assertThat(thrown).isInstanceOf(CancellationException::class.java)
    }

    /** The actor that answers would hear nothing of what the strategy throws, and the coroutine would be suspended for ever. */
    @Test
    @Promise("57.10")
    fun `a coroutine is cancelled whatever the strategy throws`() = awaiting {
        for (refusal in listOf(IllegalStateException("full"), OutOfMemoryError("full"), NoText())) {
            val refusing = CreationStrategy.of { throw refusal }.asCoroutineDispatcher("small")
            val go = CountDownLatch(1)
            actorScope("asks") { scope ->
                val actor = scope.anonymous().actor { _: String -> go.await() }
                val asking = async(refusing + SupervisorJob(), CoroutineStart.UNDISPATCHED) { actor.awaitAnswer("work") }
                go.countDown()
                assertThat(failure { asking.await() }).isInstanceOf(CancellationException::class.java).hasMessageContaining("'small'")
                    .hasRootCause(refusal)
            }
        }
    }

    /** A thread pool that cannot start a thread throws, and may have queued the task. */
    @Test
    @Promise("57.10")
    fun `a task that the strategy refuses and runs nevertheless is run once`() {
        val tasks = mutableListOf<Runnable>()
        val refusing = CreationStrategy.of { task ->
            tasks += task
            throw RejectedExecutionException("no thread")
        }.asCoroutineDispatcher()
        val runs = AtomicInteger()
        val ran = CountDownLatch(1)
        refusing.dispatch(EmptyCoroutineContext) {
            runs.incrementAndGet()
            ran.countDown()
        }
        Waits.on(ran)
        tasks.single().run()
        assertThat(runs.get()).isOne()
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
