package io.fibry.kotlin

import io.fibry.ActorSystem
import io.fibry.ActorScope
import io.fibry.ActorStoppedException
import io.fibry.testing.Promise
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** Threads that race; the seeds only spread the moments at which they meet. */
@Timeout(120)
class RacesTest {
    private companion object {
        const val ROUNDS = 3_000
        const val SPIN = 3_000
    }

    private fun spin(random: Random) = repeat(random.nextInt(SPIN)) { Thread.onSpinWait() }

    @Test
    @Promise("57.2")
    fun `a cancellation against the answer`() = awaiting {
        val answered = AtomicInteger()
        val cancelled = AtomicInteger()
        withContext(Dispatchers.Default) {
            ActorSystem.open("races").use { scope ->
                val actor = scope.anonymous().actor { n: Int -> n + 1 }
                repeat(ROUNDS) { round ->
                    val random = Random(round)
                    val asking = launch(start = CoroutineStart.UNDISPATCHED) {
                        try {
                            assertThat(actor.awaitAnswer(round)).isEqualTo(round + 1)
                            answered.incrementAndGet()
                        } catch (wanted: CancellationException) {
                            cancelled.incrementAndGet()
                            throw wanted
                        }
                    }
                    spin(random)
                    asking.cancel()
                    asking.join()
                }
                assertThat(scope.awaitIdle(60.seconds)).isTrue()
                val counters = actor.counters()
                assertThat(answered.get() + cancelled.get()).isLessThanOrEqualTo(ROUNDS)
                assertThat(counters.handled() + counters.expired()).isEqualTo(counters.total())
                assertThat(counters.handled()).isGreaterThanOrEqualTo(answered.get().toLong())
            }
        }
    }

    @Test
    @Promise("57.2")
    fun `a stop against the ask`() = awaiting {
        val answered = AtomicInteger()
        val stopped = AtomicInteger()
        ActorSystem.configure("races").listener { }.open().use { scope ->
            repeat(ROUNDS) { round ->
                val random = Random(round)
                val actor = scope.anonymous().actor { n: Int -> n + 1 }
                coroutineScope {
                    launch(Dispatchers.Default) {
                        try {
                            assertThat(actor.awaitAnswer(round)).isEqualTo(round + 1)
                            answered.incrementAndGet()
                        } catch (expected: ActorStoppedException) {
                            stopped.incrementAndGet()
                        }
                    }
                    launch(Dispatchers.Default) {
                        spin(random)
                        when (round % 3) {
                            0 -> actor.askExit()
                            1 -> actor.sendPoisonPill()
                            else -> actor.awaitStop(Duration.ZERO)
                        }
                    }
                }
            }
        }
        assertThat(answered.get() + stopped.get()).isEqualTo(ROUNDS)
    }

    @Test
    @Promise("57.7")
    fun `the cancellation of a coroutine scope against its asks`() = awaiting {
        repeat(ROUNDS / 10) { round ->
            val random = Random(round)
            val running = launch(Dispatchers.Default) {
                ActorSystem.configure("races").listener { }.actorScope { scope ->
                    val inner = scope.anonymous().actor { n: Int -> n + 1 }
                    val outer = scope.anonymous().actor { n: Int -> inner.apply(n) }
                    List(8) { n -> launch { outer.awaitAnswer(n) } }.joinAll()
                }
            }
            spin(random)
            running.cancel()
            running.join()
        } // Leaks looks for what is left
    }
}
