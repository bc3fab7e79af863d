@file:JvmName("Asks")

package io.fibry.kotlin

import io.fibry.ActorException
import io.fibry.AskTimeoutException
import io.fibry.Recipient
import io.fibry.Reply
import io.fibry.Request
import java.util.concurrent.CompletableFuture
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.suspendCancellableCoroutine

/**
 * Sends a message, and suspends until the answer is there. No thread waits.
 *
 * What the handler throws is thrown here, and so is the [ActorException] that tells why there is no answer: the actor has
 * stopped, its mailbox is full, the time is over. The exception has the coroutine's own stack as a suppressed exception, `AskedHere`. If the
 * handler throws a [CancellationException] or an [InterruptedException], as when its actor is stopped by force, that is the cause of an [ActorException],
 * since the coroutine itself was neither cancelled nor interrupted. Where assertions are enabled, kotlinx throws a copy of an exception, if it can
 * make one; the exception is its cause.
 *
 * If the coroutine is cancelled, this function ends at once, and the message is taken back if it is still queued. A handler that is
 * running goes on, unless the actor was built with `interruptOnCancel()`, and then it is interrupted. If the coroutine was cancelled
 * before this call, nothing is sent. The answer of a coroutine that is cancelled at the very moment is lost: the handler may have
 * done its work.
 *
 * Inside [withDeadline] the time that is left limits the ask, and all that its handlers ask.
 *
 * A send may block the thread if the mailbox is full and its policy is to block. The coroutine then should be on
 * [Dispatchers.Fibers][kotlinx.coroutines.Dispatchers.Fibers].
 *
 * @param message the message; for a [Request] use [awaitReply]
 * @return the answer
 * @throws ActorException if there is no answer
 */
public suspend fun <M : Any, R> Recipient<M, R>.awaitAnswer(message: M): R =
    awaitAsked(this, message, Duration.INFINITE) { limit ->
        if (limit.isFinite()) ask(message, limit.toJavaDuration()) else ask(message)
    }

/**
 * Sends a message, and suspends until the answer is there, but no longer than a time limit. All else is as for [awaitAnswer].
 *
 * When the limit is over, an [io.fibry.AskTimeoutException] tells what the actor was doing. Unlike `withTimeout`, the limit is known to
 * the actor: it also limits what the handler asks of others.
 *
 * @param message the message
 * @param timeout how long the answer may take, more than zero
 * @return the answer
 * @throws ActorException if there is no answer
 */
public suspend fun <M : Any, R> Recipient<M, R>.awaitAnswer(message: M, timeout: Duration): R =
    awaitAsked(this, message, positive(timeout)) { limit -> ask(message, limit.toJavaDuration()) }

/**
 * Sends a request, and suspends until the answer is there, whose type the request names. All else is as for [awaitAnswer].
 *
 * The Java methods `request` and `requestWait` are not for coroutines: the first one returns a future, and the second one blocks the thread.
 *
 * @param request the request
 * @return the answer
 * @throws ActorException if there is no answer
 */
public suspend fun <A> Recipient<*, Reply>.awaitReply(request: Request<A>): A =
    awaitAsked(this, request, Duration.INFINITE) { limit ->
        if (limit.isFinite()) request(request, limit.toJavaDuration()) else request(request)
    }

/**
 * Sends a request, and suspends until the answer is there, but no longer than a time limit. All else is as for [awaitAnswer].
 *
 * @param request the request
 * @param timeout how long the answer may take, more than zero
 * @return the answer
 * @throws ActorException if there is no answer
 */
public suspend fun <A> Recipient<*, Reply>.awaitReply(request: Request<A>, timeout: Duration): A =
    awaitAsked(this, request, positive(timeout)) { limit -> request(request, limit.toJavaDuration()) }

private fun positive(timeout: Duration): Duration {
    require(timeout > Duration.ZERO) { "timeout must be more than zero: $timeout" }
    return timeout
}

private suspend inline fun <R> awaitAsked(
    recipient: Recipient<*, *>,
    message: Any,
    timeout: Duration,
    crossinline ask: (Duration) -> CompletableFuture<R>,
): R {
    val context = currentCoroutineContext()
    context.ensureActive()
    val left = AskDeadline.timeLeft(context)
    if (left <= Duration.ZERO) {
        throw AskTimeoutException(
            "'${recipient.name()}' was not asked with a message of ${message.javaClass.name}: the deadline was over before",
        )
    }
    val limit = minOf(timeout, left)
    return suspendCancellableCoroutine { asking ->
        val answer = ask(limit)
        asking.invokeOnCancellation { answer.cancel(true) }
        answer.whenComplete { value, failure ->
            if (failure == null) {
                asking.resume(value)
            } else {
                val thrown = ActorFailures.ofAsk(failure, recipient, message)
                AskedHere.add(thrown, recipient, message, asking)
                asking.resumeWithException(thrown)
            }
        }
    }
}
