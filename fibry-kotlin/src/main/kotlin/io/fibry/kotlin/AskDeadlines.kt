@file:JvmName("AskDeadlines")

package io.fibry.kotlin

import io.fibry.AskTimeoutException
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.time.ComparableTimeMark
import kotlin.time.Duration
import kotlin.time.TimeSource
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.job
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout

/**
 * Runs code within a time limit, as [withTimeout] does, and hands the time that is left on to the actors that the code asks. What
 * their handlers ask of others ends by the same time, through any number of actors, without any code of theirs.
 *
 * A deadline inside another one can only be earlier. Only coroutines that end with the code have its deadline: code in
 * [NonCancellable][kotlinx.coroutines.NonCancellable] has none, so that it can clean up.
 *
 * @param limit how long the code may take
 * @param block the code
 * @return what the code returns
 * @throws TimeoutCancellationException when the time is over, as [withTimeout] throws it
 */
public suspend fun <T> withDeadline(limit: Duration, block: suspend CoroutineScope.() -> T): T {
    val end = TimeSource.Monotonic.markNow() + minOf(limit, AskDeadline.timeLeft(currentCoroutineContext()))
    return withTimeout(limit) {
        try {
            withContext(AskDeadline(end, coroutineContext.job), block)
        } catch (late: AskTimeoutException) {
            if (!end.hasPassedNow()) {
                throw late
            }
            awaitCancellation() // a timer of withTimeout rings at this moment, and its exception is the one to throw
        }
    }
}

/** When the asks of a coroutine have to be answered, if it ends with a job. */
internal class AskDeadline(private val end: ComparableTimeMark, private val owner: Job) : AbstractCoroutineContextElement(AskDeadline) {
    @OptIn(ExperimentalCoroutinesApi::class) // Job.parent
    private fun holdsFor(job: Job?): Boolean = generateSequence(job) { it.parent }.any { it === owner }

    internal companion object : CoroutineContext.Key<AskDeadline> {
        /** Returns the time that is left; infinite if there is no deadline, and not more than zero if it is over. */
        fun timeLeft(context: CoroutineContext): Duration {
            val deadline = context[AskDeadline]
            return if (deadline != null && deadline.holdsFor(context[Job])) -deadline.end.elapsedNow() else Duration.INFINITE
        }
    }
}
