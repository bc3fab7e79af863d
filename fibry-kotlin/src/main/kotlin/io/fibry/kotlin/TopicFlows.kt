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
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.awaitClose
import kotlinx.coroutines.channels.trySendBlocking
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.callbackFlow
import kotlinx.coroutines.future.await

/**
 * Returns a flow of the messages of a topic. Each collector is a subscriber of its own, from the beginning of its collection to the end. The flow
 * completes when the topic is closed and what was published before has been collected.
 *
 * A collector that is slow leaves the messages in the mailbox of its subscription. If that is full, its policy decides, as for any
 * subscriber: see [SubscriberOptions.withMailbox]. If the topic is closed at the beginning, the collection fails with an
 * [IllegalStateException].
 *
 * The actor of the subscription waits for the collector. Where that is the publisher itself, with [io.fibry.topic.Delivery.PUBLISHER] and on
 * `CreationStrategy.caller()`, the publisher waits, and must not be on the one thread that the collector needs.
 *
 * @param options the options of each subscriber
 * @return the flow
 */
public fun <M : Any> Topic<M>.asFlow(options: SubscriberOptions = SubscriberOptions.defaults()): Flow<M> =
    subscribed(::onStopped) { handler -> subscribe(options, handler) }

/**
 * Returns a flow of a value that changes: the present value, and then each change. A collector that is slower than the changes gets the latest
 * one only, unless the options require something else. The flow completes when the value is closed. The note of [Topic.asFlow] about `CreationStrategy.caller()` holds here, too.
 *
 * @param options the options of each observer
 * @return the flow
 */
public fun <T : Any> ObservableView<T>.asFlow(
    options: ObserverOptions = ObserverOptions.named("flow").withCurrent().coalescing(),
): Flow<T> = subscribed(::onStopped) { handler -> subscribe(options, handler) }

private fun <T : Any> subscribed(end: () -> CompletableFuture<*>, subscribe: (Handler<T>) -> Subscription): Flow<T> = callbackFlow {
    val subscription = subscribe(Handler { value -> trySendBlocking(value) }) // the actor of the subscription waits for the collector
    val ended = end()
    ended.whenComplete { _, _ -> channel.close() }
    awaitClose {
        ended.cancel(false)
        subscription.close()
    }
}.buffer(Channel.RENDEZVOUS)

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
