package io.fibry.kotlin

import io.fibry.ActorSystem
import io.fibry.ActorScope
import io.fibry.ActorStoppedException
import io.fibry.CreationStrategy
import io.fibry.MailboxPolicy
import io.fibry.OverflowPolicy
import io.fibry.testing.EveryStrategy
import io.fibry.testing.Promise
import io.fibry.testing.Strategy
import io.fibry.testing.Waits
import io.fibry.topic.ObservableValue
import io.fibry.topic.ObserverOptions
import io.fibry.topic.SubscriberOptions
import io.fibry.topic.Topic
import io.fibry.topic.TopicOptions
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(120)
class FlowsTest {
    /** All coroutines of a test are on one thread: when this returns, they are suspended, and so nobody is about to subscribe. */
    private suspend fun Topic<*>.awaitSubscribers(number: Int) {
        while (subscribers() != number) {
            yield()
        }
    }

    @EveryStrategy
    @Promise("57.11")
    fun `a collector gets what is published, to the end of the topic`(strategy: Strategy) = awaiting {
        ActorSystem.configure("flows").strategy(strategy.create()).open().use { scope ->
            val topic = Topic.open<Int>(scope, "numbers", TopicOptions.defaults())
            val collected = List(2) { async { topic.asFlow().toList() } }
            topic.awaitSubscribers(2)
            withContext(Dispatchers.IO) {
                repeat(100) { topic.publish(it) }
                topic.close()
            }
            collected.forEach { assertThat(it.await()).isEqualTo(List(100) { n -> n }) }
            assertThat(failure { topic.asFlow().toList() }).isInstanceOf(IllegalStateException::class.java)
        }
    }

    @Test
    @Promise("57.11")
    fun `a collector that has enough is no subscriber any more`() = awaiting {
        actorScope("flows") { scope ->
            val topic = Topic.open<Int>(scope, "numbers", TopicOptions.defaults().keepingLast())
            topic.publish(7)
            assertThat(topic.asFlow(SubscriberOptions.defaults().withLast()).first()).isEqualTo(7)
            topic.awaitSubscribers(0)
            val cancelled = launch { topic.asFlow().collect { } }
            topic.awaitSubscribers(1)
            cancelled.cancel()
            cancelled.join()
            topic.awaitSubscribers(0)
        }
    }

    @Test
    @Promise("57.11")
    fun `what a slow collector does not take meets the policy of its mailbox`() = awaiting {
        ActorSystem.configure("flows").listener { }.actorScope { scope ->
            val topic = Topic.open<Int>(scope, "numbers", TopicOptions.defaults())
            val small = SubscriberOptions.defaults().withMailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropNewest()))
            val first = CompletableDeferred<Int>()
            val never = CompletableDeferred<Unit>()
            val slow = launch {
                topic.asFlow(small).collect {
                    first.complete(it)
                    never.await()
                }
            }
            topic.awaitSubscribers(1)
            topic.publish(0)
            assertThat(first.await()).isZero()
            repeat(200) { topic.publish(it + 1) } // 64 are on their way, one is handled, and one waits in the mailbox
            Waits.until("the others are dropped") { topic.counters().dropped() >= 100 }
            slow.cancelAndJoin()
            assertThat(scope.awaitIdle(60.seconds)).`as`("the subscriber waits for its collector no longer").isTrue()
        }
    }

    @Test
    @Promise("57.11")
    fun `a subscription that waits for its collector leaves the one thread of a pool to others`() = awaiting {
        ActorSystem.configure("flows").strategy(CreationStrategy.pool(1)).open().use { scope ->
            val topic = Topic.open<Int>(scope, "numbers", TopicOptions.defaults())
            val other = scope.anonymous().actor { n: Int -> n }
            val collected = async { topic.asFlow().map { other.awaitAnswer(it) }.take(200).toList() }
            topic.awaitSubscribers(1)
            repeat(200) { topic.publish(it) }
            Waits.until("64 are on their way") { topic.counters().handled() >= 64 }
            assertThat(collected.await()).isEqualTo(List(200) { it })
        }
    }

    /** The collector must not take what it has for all that there was. */
    @EveryStrategy
    @Promise("57.11")
    fun `a flow fails if the topic is closed by force before all was collected`(strategy: Strategy) = awaiting {
        if (!strategy.isAsync) {
            return@awaiting // the publisher would wait for the collector
        }
        ActorSystem.configure("flows").strategy(strategy.create()).listener { }.actorScope { scope ->
            val topic = Topic.open<Int>(scope, "numbers", TopicOptions.defaults())
            val go = CompletableDeferred<Unit>()
            val collected = mutableListOf<Int>()
            val slow = async {
                failure {
                    topic.asFlow().collect {
                        collected += it
                        go.await()
                    }
                }
            }
            val all = async { topic.asFlow().toList() }
            topic.awaitSubscribers(2)
            repeat(200) { topic.publish(it) }
            while (topic.counters().handled() < 200 + 65) { // the slow one has taken one, and 64 are on their way
                yield()
            }
            withContext(Dispatchers.Fibers) { topic.stop(Duration.ZERO) }
            go.complete(Unit)
            assertThat(slow.await()).isInstanceOf(ActorStoppedException::class.java)
                .hasMessageMatching("'numbers' was closed before all messages came; lost: 13[3-5]")
            assertThat(collected).isEqualTo(List(collected.size) { it }).hasSizeBetween(65, 66)
            assertThat(all.await()).isEqualTo(List(200) { it })
        }
    }

    @Test
    @Promise("57.11")
    fun `a flow of a value fails if changes are lost by a forced close`() = awaiting {
        ActorSystem.configure("flows").listener { }.actorScope { scope ->
            val level = ObservableValue.open(scope, "level", 0)
            val go = CompletableDeferred<Unit>()
            val slow = async(start = CoroutineStart.UNDISPATCHED) {
                failure { level.asFlow(ObserverOptions.defaults()).collect { go.await() } }
            }
            repeat(200) { level.set(it + 1) }
            while (level.counters().handled() < 65) { // one is collected, and 64 are on their way
                yield()
            }
            withContext(Dispatchers.Fibers) { level.stop(Duration.ZERO) }
            go.complete(Unit)
            assertThat(slow.await()).isInstanceOf(ActorStoppedException::class.java).hasMessageContaining("'level'")
        }
    }

    @EveryStrategy
    @Promise("57.11")
    fun `a flow of a value has the present one and always comes to the latest one`(strategy: Strategy) = awaiting {
        ActorSystem.configure("flows").strategy(strategy.create()).open().use { scope ->
            val level = ObservableValue.open(scope, "level", 0)
            val values = async { level.asFlow().toList() }
            while (level.observers() == 0) {
                yield()
            }
            withContext(Dispatchers.IO) {
                repeat(1_000) { level.set(it + 1) }
                level.close()
            }
            val seen = values.await()
            assertThat(seen).isSorted().doesNotHaveDuplicates()
            assertThat(seen.last()).isEqualTo(1_000)
        }
    }

    @Test
    @Promise("57.11")
    fun `each change comes if the observer wants each`() = awaiting {
        actorScope("flows") { scope ->
            val level = ObservableValue.open(scope, "level", 0)
            val values = async(start = CoroutineStart.UNDISPATCHED) { level.asFlow(ObserverOptions.defaults()).take(100).toList() }
            repeat(100) { level.set(it + 1) }
            assertThat(values.await()).isEqualTo(List(100) { it + 1 })
        }
    }

    @EveryStrategy
    @Promise("57.11")
    fun `each value of a flow is handled before the next one is taken`(strategy: Strategy) = awaiting {
        ActorSystem.configure("flows").strategy(strategy.create()).open().use { scope ->
            val topic = Topic.open<Int>(scope, "numbers", TopicOptions.defaults())
            val handled = AtomicInteger()
            topic.subscribe { n: Int -> handled.set(n) }
            flowOf(1, 2, 3).publishTo(topic)
            assertThat(handled.get()).isEqualTo(3)
            (4..100).asFlow().publishTo(topic)
            assertThat(handled.get()).isEqualTo(100)
        }
    }

    @Test
    @Promise("57.11")
    fun `a closed topic ends the flow`() = awaiting {
        actorScope("flows") { scope ->
            val topic = Topic.open<Int>(scope, "numbers", TopicOptions.defaults())
            withContext(Dispatchers.IO) { topic.close() }
            assertThat(failure { flowOf(1, 2, 3).publishTo(topic) }).isInstanceOf(ActorStoppedException::class.java)
                .hasMessageContaining("'numbers'")
        }
    }
}
