@file:JvmName("Scopes")

package io.fibry.kotlin

import io.fibry.ActorSystem
import io.fibry.Actor
import io.fibry.ActorScope
import io.fibry.ScopeBuilder
import io.fibry.StopReport
import io.fibry.event.ActorEvent
import io.fibry.event.ActorListener
import io.fibry.event.Escalated
import java.time.Duration as JavaDuration
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlin.time.toKotlinDuration
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.isActive
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withContext

/**
 * Runs code with a scope of actors, as [coroutineScope] runs code with a scope of coroutines. When the code and its coroutines have
 * ended, the actors handle what is queued, within the close time-out of the scope, and stop; then this function returns.
 *
 * If the code throws, or the coroutine is cancelled, the actors are stopped at once when the code and its coroutines have ended: what their handlers do is interrupted, and what is
 * queued is undelivered. In either case no actor of the scope is left when this function returns or throws, unless a handler ignores the interrupt.
 *
 * If an actor without a parent [escalates][io.fibry.FailurePolicy.escalate] its failure, the code is cancelled, and this function throws that failure.
 *
 * @param name the name of the scope in reports
 * @param block the code; it gets the scope of the actors
 * @return what the code returns
 */
public suspend fun <T> actorScope(name: String, block: suspend CoroutineScope.(ActorScope) -> T): T =
    ActorSystem.configure(name).actorScope(block)

/**
 * Runs code with a scope of actors that this builder opens. All else is as for the other function of this name.
 *
 * @param block the code; it gets the scope of the actors
 * @return what the code returns
 */
public suspend fun <T> ScopeBuilder.actorScope(block: suspend CoroutineScope.(ActorScope) -> T): T = coroutineScope {
    val end = CompletableDeferred<Unit>(coroutineContext.job)
    val actors = openWith(end)
    try {
        val result = coroutineScope { block(actors) }
        actors.awaitStop()
        result
    } finally {
        withContext(NonCancellable) { actors.awaitStop(Duration.ZERO) } // has no effect if they have stopped
        end.complete(Unit)
    }
}

/**
 * Opens a scope of actors that lives as long as a coroutine scope, such as that of an application, a screen or a connection. The scope
 * is a child of the coroutine scope, as a coroutine that is launched there:
 *
 * - If the coroutine scope is cancelled, its other coroutines end, and then the actors are stopped at once: what their handlers do is
 *   interrupted, and what is queued is undelivered. The coroutine scope has ended when the actors have stopped.
 * - The coroutine scope does not end by itself before the scope of the actors is closed. Where a piece of code is to end with its
 *   actors, use [actorScope].
 * - If an actor without a parent [escalates][io.fibry.FailurePolicy.escalate] its failure, the actors are stopped at once, and the coroutine scope
 *   fails with that failure, unless it is a supervisor.
 *
 * @param scope the coroutine scope
 * @return the scope of the actors
 * @throws CancellationException if the coroutine scope has ended or is cancelled
 */
public fun ScopeBuilder.openIn(scope: CoroutineScope): ActorScope {
    scope.ensureActive()
    val end = CompletableDeferred<Unit>(scope.coroutineContext[Job])
    val actors = openWith(end)
    actors.onStopped().whenComplete { _, _ -> end.complete(Unit) }
    // The coroutine begins even if the scope has been cancelled meanwhile, and depends on no dispatcher that may be busy or closed.
    scope.launch(OwnsActors + CoroutineName("actors of '${actors.name()}'") + Dispatchers.Fibers, CoroutineStart.UNDISPATCHED) {
        try {
            end.join()
        } finally {
            withContext(NonCancellable) {
                if (!scope.isActive) {
                    scope.joinThoseWhoAsk()
                }
                actors.awaitStop(Duration.ZERO)
            }
        }
    }
    return actors
}

/**
 * An escalated failure fails the given one, which is a child of those whom it concerns. If the scope cannot be opened, that one is
 * cancelled, since nothing else would complete it.
 */
private fun ScopeBuilder.openWith(end: CompletableDeferred<Unit>): ActorScope =
    try {
        listener(Escalations(end)).open()
    } catch (notOpened: Throwable) {
        end.cancel()
        throw notOpened
    }

/** The context of a coroutine that owns a scope of actors. */
private object OwnsActors : AbstractCoroutineContextElement(Key) {
    private object Key : CoroutineContext.Key<OwnsActors>

    fun owns(job: Job): Boolean = (job as? CoroutineScope)?.coroutineContext?.get(Key) != null
}

/** Waits for the coroutines of a cancelled scope, so that none of them finds its actors stopped while it ends. */
private suspend fun CoroutineScope.joinThoseWhoAsk() {
    coroutineContext.job.children.filterNot(OwnsActors::owns).forEach { it.join() }
}

/** Only watches: the failure was reported or logged before. */
private class Escalations(private val end: CompletableDeferred<Unit>) : ActorListener {
    override fun on(event: ActorEvent) {
        if (event is Escalated && event.parent.isEmpty) {
            end.completeExceptionally(ActorFailures.ofActor(event.cause, event.actor))
        }
    }

    override fun takesEvents(): Boolean = false
}

/**
 * Stops the actor as [Actor.stop] does, and suspends until it has stopped. If the coroutine is cancelled, meanwhile or before, the stop is
 * forced: the handler is interrupted.
 *
 * @param deadline how long the actor may take for the messages that are queued; not negative
 * @return how the stop went
 */
public suspend fun Actor<*, *>.awaitStop(deadline: Duration): StopReport = stopping(deadline, ::stop)

/**
 * Stops the scope as [ActorScope.stop] does, and suspends until its actors have stopped. If the coroutine is cancelled, meanwhile or before,
 * the stop is forced: handlers are interrupted.
 *
 * A handler of the scope must not wait for this, by `runBlocking`: the scope would wait for the handler, up to the deadline.
 *
 * @param deadline how long the actors may take for the messages that are queued; not negative; by default the close time-out of the scope
 * @return how the stop went
 */
public suspend fun ActorScope.awaitStop(deadline: Duration = closeTimeout().toKotlinDuration()): StopReport = stopping(deadline, ::stop)

private suspend fun stopping(deadline: Duration, stop: (JavaDuration) -> StopReport): StopReport {
    require(!deadline.isNegative()) { "deadline must not be negative: $deadline" }
    try {
        return runInterruptible(Dispatchers.Fibers) { stop(deadline.toJavaDuration()) }
    } catch (cancelled: CancellationException) {
        withContext(NonCancellable + Dispatchers.Fibers) { stop(JavaDuration.ZERO) }
        throw cancelled
    }
}

/**
 * Suspends until no actor of the scope handles a message or has one waiting, as [ActorScope.awaitIdle] waits for it.
 *
 * @param limit how long to wait at most, more than zero
 * @return whether all were idle in time
 */
public suspend fun ActorScope.awaitIdle(limit: Duration): Boolean =
    runInterruptible(Dispatchers.Fibers) { awaitIdle(limit.toJavaDuration()) }
