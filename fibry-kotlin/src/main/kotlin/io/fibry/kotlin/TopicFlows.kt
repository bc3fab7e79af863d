@file:JvmName("TopicFlows")

package io.fibry.kotlin

import io.fibry.ActorStoppedException
import io.fibry.function.Handler
import io.fibry.topic.ObservableView
import io.fibry.topic.ObserverOptions
import io.fibry.topic.SubscriberOptions
import io.fibry.topic.Subscription
import io.fibry.topic.Topic
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.future.await
import kotlinx.coroutines.future.future

/**
 * Returns a flow of the messages of a topic. Each collector is a subscriber of its own, from the beginning of its collection to the end. The flow
 * completes when the topic is closed and what was published before has been collected. If the close loses some of it, as a forced one may, the
 * collection fails with an [ActorStoppedException] after what has come.
 *
 * Up to 64 messages are on their way to a collector, and count as handled. If it is slower, the messages wait in the mailbox of its subscription,
 * and if that is full, its policy decides, as for any subscriber: see [SubscriberOptions.withMailbox]. The subscription then keeps its thread, for
 * which `CreationStrategy.pool` has a spare one; an executor of the program, and a limit of turns, need one more. Where the publisher itself calls the
 * subscribers, on `CreationStrategy.caller()`, the publisher waits instead, and must not be on the one thread that the collector needs.
 *
 * If the topic is closed at the beginning, the collection fails with an [IllegalStateException].
 *
 * @param options the options of each subscriber
 * @return the flow
 */
public fun <M : Any> Topic<M>.asFlow(options: SubscriberOptions = SubscriberOptions.defaults()): Flow<M> =
    subscribed(Channel.BUFFERED, ::onStopped) { handler -> subscribe(options, handler) }

/**
 * Returns a flow of a value that changes: the present value, and then each change. A collector that is slower than the changes gets the latest
 * one only, unless the options require something else. The flow completes when the value is closed. If the close loses a change, as a forced one may,
 * the collection fails with an [ActorStoppedException] after what has come. If the value is closed at the beginning, the collection fails with an
 * [IllegalStateException].
 *
 * @param options the options of each observer
 * @return the flow
 */
public fun <T : Any> ObservableView<T>.asFlow(
    options: ObserverOptions = ObserverOptions.named("flow").withCurrent().coalescing(),
): Flow<T> = subscribed(if (options.coalesced()) Channel.CONFLATED else Channel.BUFFERED, ::onStopped) { handler -> subscribe(options, handler) }

/** The handler waits for the collector when the channel is full. A cancelled channel, unlike one of a callbackFlow, lets it go. */
private fun <T : Any> subscribed(capacity: Int, end: () -> CompletableFuture<*>, subscribe: (Handler<T>) -> Subscription): Flow<T> = flow {
    val channel = Channel<T>(capacity)
    val subscription = subscribe(Handler { value -> channel.sendOrWait(value) })
    val ended = end()
    ended.whenComplete { _, _ ->
        val lost = subscription.counters().run { undelivered() + failed() }
        channel.close(if (lost == 0L) null else ActorStoppedException("'${subscription.source()}' was closed before all messages came; lost: $lost"))
    }
    try {
        for (value in channel) {
            emit(value)
        }
    } finally {
        ended.cancel(false)
        subscription.close()
        channel.cancel()
    }
}

/**
 * Waits for a future, not in `runBlocking`: for that wait the JDK gives a pool a spare thread, no other coroutine runs on this thread meanwhile, and a
 * virtual thread parks without a time limit.
 */
private fun <T : Any> Channel<T>.sendOrWait(value: T) {
    if (trySend(value).run { isSuccess || isClosed }) {
        return
    }
    val sent = CoroutineScope(Dispatchers.Unconfined).future(start = CoroutineStart.UNDISPATCHED) { runCatching { send(value) } }
    try {
        sent.get()
    } catch (stopped: InterruptedException) {
        sent.cancel(false)
        throw stopped
    }
}

/**
 * Collects the flow, and publishes its values to a topic, one after the other: the next value is taken when all subscribers have handled the one
 * before, or will not do so. `collect { topic.publish(it) }` does not wait for them.
 *
 * @param topic the topic
 * @throws ActorStoppedException if the topic is closed and the flow has one more value
 */
public suspend fun <M : Any> Flow<M>.publishTo(topic: Topic<in M>) {
    val ended = topic.onStopped()
    try {
        collect { value ->
            if (ended.isDone) {
                throw ActorStoppedException("topic '${topic.name()}' is closed and takes no further value of the flow")
            }
            topic.publishTracked(value).await()
        }
    } finally {
        ended.cancel(false)
    }
}
