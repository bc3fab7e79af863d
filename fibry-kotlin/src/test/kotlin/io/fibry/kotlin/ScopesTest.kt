package io.fibry.kotlin

import io.fibry.ActorSystem
import io.fibry.Actor
import io.fibry.ActorScope
import io.fibry.FailurePolicy
import io.fibry.event.ActorEvent
import io.fibry.event.Escalated
import io.fibry.testing.EveryStrategy
import io.fibry.testing.Promise
import io.fibry.testing.Strategy
import io.fibry.testing.Waits
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.isActive
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(120)
class ScopesTest {
    class OutOfStock(text: String) : Exception(text)

    @EveryStrategy
    @Promise("57.7")
    fun `the actors handle what is queued and have stopped when the code returns`(strategy: Strategy) = awaiting {
        val handled = AtomicInteger()
        lateinit var counter: Actor<Int, Int>
        val result = ActorSystem.configure("shop").strategy(strategy.create()).listener { }.actorScope { shop ->
            counter = shop.named("counter").actor { n: Int -> handled.addAndGet(n) }
            launch { repeat(100) { counter.sendMessage(1) } }
            "done"
        }
        assertThat(result).isEqualTo("done")
        assertThat(handled.get()).isEqualTo(100)
        assertThat(counter.sendMessage(1)).isFalse()
    }

    @Test
    @Promise("57.7")
    fun `a failure of the code stops the actors at once`() = awaiting {
        val begun = CountDownLatch(1)
        val interrupted = CountDownLatch(1)
        lateinit var actors: ActorScope
        val thrown = failure {
            ActorSystem.configure("shop").listener { }.actorScope { shop ->
                actors = shop
                val actor = shop.anonymous().actor { _: String -> Waits.untilInterrupted(begun, interrupted) }
                actor.sendMessage("work")
                Waits.on(begun)
                throw OutOfStock("no tea")
            }
        }
        assertThat(thrown).isInstanceOf(OutOfStock::class.java)
        assertThat(actors.onStopped().isDone).isTrue()
        Waits.on(interrupted)
    }

    @Test
    @Promise("57.7")
    fun `a cancellation stops the actors when the coroutines have ended`() = awaiting {
        val begun = CountDownLatch(1)
        val interrupted = CountDownLatch(1)
        val cleanedUp = CompletableDeferred<Int>()
        lateinit var actors: ActorScope
        val running = launch {
            ActorSystem.configure("shop").listener { }.actorScope { shop ->
                actors = shop
                val stuck = shop.anonymous().actor { _: String -> Waits.untilInterrupted(begun, interrupted) }
                val other = shop.anonymous().actor { n: Int -> n + 1 }
                launch(start = CoroutineStart.UNDISPATCHED) {
                    try {
                        stuck.awaitAnswer("work")
                    } finally {
                        withContext(NonCancellable) { cleanedUp.complete(other.awaitAnswer(1)) }
                    }
                }
                withContext(Dispatchers.IO) { Waits.on(begun) }
                this@launch.cancel()
            }
        }
        running.join()
        assertThat(actors.onStopped().isDone).isTrue()
        assertThat(cleanedUp.await()).isEqualTo(2)
        Waits.on(interrupted)
        assertThat(running.isCancelled).isTrue()
    }

    @Test
    @Promise("57.7")
    fun `a cancellation while the actors handle what is queued forces their stop`() = awaiting {
        val begun = CountDownLatch(1)
        val interrupted = CountDownLatch(1)
        lateinit var actors: ActorScope
        val running = launch(Dispatchers.Default) {
            ActorSystem.configure("shop").listener { }.closeTimeout(60.minutes).actorScope { shop ->
                actors = shop
                shop.anonymous().actor { _: String -> Waits.untilInterrupted(begun, interrupted) }.sendMessage("work")
            }
        }
        withContext(Dispatchers.IO) { Waits.on(begun) }
        running.cancel()
        running.join()
        assertThat(actors.onStopped().isDone).isTrue()
        Waits.on(interrupted)
    }

    @Test
    @Promise("57.7")
    fun `an escalated failure cancels the code and is thrown`() = awaiting {
        val events = ConcurrentLinkedQueue<ActorEvent>()
        val thrown = failure {
            ActorSystem.configure("shop").listener(events::add).actorScope { shop ->
                val actor = shop.named("stock").onFailure(FailurePolicy.escalate()).actor { item: String -> throw OutOfStock(item) }
                actor.sendMessage("tea")
                awaitCancellation()
            }
        }
        assertThat(thrown).isInstanceOf(OutOfStock::class.java).hasMessage("tea")
        assertThat(events).hasAtLeastOneElementOfType(Escalated::class.java)
    }

    /** It would pass for a cancellation that the code has asked for. */
    @Test
    @Promise("57.7")
    fun `an escalated cancellation or interrupt is a failure`() = awaiting {
        for (inside in listOf(CancellationException("inside"), InterruptedException("inside"))) {
            val thrown = failure {
                ActorSystem.configure("shop").listener { }.actorScope { shop ->
                    val actor = shop.named("stock").onFailure(FailurePolicy.escalate()).actor { _: String -> throw inside }
                    actor.sendMessage("tea")
                    awaitCancellation()
                }
            }
            assertThat(thrown).isInstanceOf(io.fibry.ActorException::class.java).hasMessageContainingAll("'stock'", "inside")
        }
    }

    @Test
    @Promise("57.7")
    fun `the failure of a child that its parent takes is none of the code`() = awaiting {
        ActorSystem.configure("shop").listener { }.actorScope { shop ->
            val parent = shop.anonymous().actor { item: String ->
                child().onFailure(FailurePolicy.escalate()).actor { _: String -> throw OutOfStock(item) }.sendMessage(item)
            }
            parent.awaitAnswer("tea")
            assertThat(shop.awaitIdle(60.seconds)).isTrue()
            parent.awaitAnswer("coffee")
        }
    }

    @Test
    @Promise("57.7")
    fun `an open scope of actors ends with its coroutine scope, after those who ask`() = awaiting {
        val application = CoroutineScope(Dispatchers.Default + Job())
        val begun = CountDownLatch(1)
        val interrupted = CountDownLatch(1)
        val shop = ActorSystem.configure("shop").listener { }.openIn(application)
        val ledger = ActorSystem.configure("ledger").openIn(application)
        val stuck = shop.anonymous().actor { _: String -> Waits.untilInterrupted(begun, interrupted) }
        val entries = ledger.anonymous().actor { n: Int -> n + 1 }
        val cleanedUp = CompletableDeferred<Int>()
        application.launch {
            try {
                stuck.awaitAnswer("work")
            } finally {
                withContext(NonCancellable) { cleanedUp.complete(entries.awaitAnswer(1)) }
            }
        }
        withContext(Dispatchers.IO) { Waits.on(begun) }
        application.cancel()
        application.coroutineContext.job.join()
        assertThat(cleanedUp.await()).isEqualTo(2)
        Waits.on(interrupted)
        assertThat(shop.onStopped().isDone && ledger.onStopped().isDone).isTrue()
        assertThat(failure { ActorSystem.configure("late").openIn(application) }).isInstanceOf(CancellationException::class.java)
    }

    @Test
    @Promise("57.7")
    fun `the coroutine scope ends when the scope of the actors is closed`() = awaiting {
        coroutineScope {
            val shop = ActorSystem.configure("shop").openIn(this)
            launch {
                assertThat(shop.anonymous().actor { n: Int -> n }.awaitAnswer(1)).isOne()
                assertThat(shop.awaitStop().stopped()).isTrue()
            }
        }
    }

    @Test
    @Promise("57.7")
    fun `a scope that cannot be opened leaves nothing in the coroutine scope`() = awaiting {
        val shop = ActorSystem.configure("shop").open()
        val till = shop.child("till")
        shop.close()
        coroutineScope {
            assertThat(failure { till.openIn(this) }).isInstanceOf(IllegalStateException::class.java)
            assertThat(coroutineContext.job.children.toList()).isEmpty()
        }
    }

    @Test
    @Promise("57.7")
    fun `an escalated failure fails the coroutine scope, or ends the actors alone`() = awaiting {
        val failing = { shop: ActorScope ->
            shop.anonymous().onFailure(FailurePolicy.escalate()).actor { item: String -> throw OutOfStock(item) }.sendMessage("tea")
        }
        assertThat(
            failure {
                coroutineScope {
                    failing(ActorSystem.configure("shop").listener { }.openIn(this))
                    awaitCancellation()
                }
            },
        ).isInstanceOf(OutOfStock::class.java)

        val supervisor = CoroutineScope(Dispatchers.Default + SupervisorJob())
        val waits = supervisor.launch { awaitCancellation() }
        val shop = ActorSystem.configure("shop").listener { }.openIn(supervisor)
        failing(shop)
        Waits.on(shop.onStopped())
        assertThat(supervisor.isActive && waits.isActive).isTrue()
        supervisor.cancel()
        supervisor.coroutineContext.job.join()
    }

    @Test
    @Promise("57.7")
    fun `a stop does not hold the thread of the coroutine`() = awaiting {
        val go = CountDownLatch(1)
        actorScope("shop") { shop ->
            val actor = shop.anonymous().actor { _: String -> go.await() }
            actor.sendMessage("work")
            val stopping = launch(start = CoroutineStart.UNDISPATCHED) { assertThat(actor.awaitStop(1.minutes).forced()).isFalse() }
            go.countDown() // on the same thread
            stopping.join()
        }
    }

    @Test
    @Promise("57.7")
    fun `a cancelled stop is forced, even if it was cancelled before`() = awaiting {
        for (before in listOf(false, true)) {
            val begun = CountDownLatch(1)
            val interrupted = CountDownLatch(1)
            ActorSystem.configure("shop").listener { }.actorScope { shop ->
                val actor = shop.anonymous().actor { _: String -> Waits.untilInterrupted(begun, interrupted) }
                actor.sendMessage("work")
                withContext(Dispatchers.IO) { Waits.on(begun) }
                val stopping = launch(start = CoroutineStart.UNDISPATCHED) {
                    if (before) {
                        coroutineContext.cancel()
                    }
                    actor.awaitStop(60.minutes)
                }
                stopping.cancel()
                stopping.join()
                Waits.on(interrupted)
            }
        }
    }
}
