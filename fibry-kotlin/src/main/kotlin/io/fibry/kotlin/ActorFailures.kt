package io.fibry.kotlin

import io.fibry.Actor
import io.fibry.ActorException
import io.fibry.ActorInterruptedException
import io.fibry.ActorState
import io.fibry.ActorStoppedException
import io.fibry.Recipient
import kotlinx.coroutines.CancellationException

/**
 * What a coroutine gets for a failure in an actor. A cancellation or an interrupt there is none of the coroutine, which would take it for
 * its own: so it becomes the cause of an [ActorException].
 */
internal object ActorFailures {
    fun ofAsk(failure: Throwable, recipient: Recipient<*, *>, message: Any): Throwable {
        val what = "the ask of '${recipient.name()}' with a message of ${message.javaClass.name}"
        return when {
            failure is CancellationException -> ActorException("$what was cancelled by the actor: ${textOf(failure)}", failure)
            !isInterrupt(failure) -> failure
            recipient is Actor<*, *> && recipient.state() >= ActorState.STOPPING ->
                ActorStoppedException("$what has no answer: the handler was interrupted, and the actor stops: ${textOf(failure)}").apply { initCause(failure) }
            else -> ActorException("$what has no answer: the handler was interrupted: ${textOf(failure)}", failure)
        }
    }

    fun ofActor(failure: Throwable, actor: String): Throwable =
        if (failure is CancellationException || isInterrupt(failure)) {
            ActorException("actor '$actor' has failed and escalated: ${textOf(failure)}", failure)
        } else {
            failure
        }

    /** What throws here would keep the coroutine suspended for ever. */
    fun textOf(failure: Throwable): String = runCatching { failure.toString() }.getOrElse { failure.javaClass.name }

    private fun isInterrupt(failure: Throwable): Boolean = failure is InterruptedException || failure is ActorInterruptedException
}
