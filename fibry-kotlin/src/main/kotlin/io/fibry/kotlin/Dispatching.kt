@file:JvmName("Dispatching")

package io.fibry.kotlin

import io.fibry.ActorExecutor
import io.fibry.CreationStrategy
import java.util.concurrent.Executor
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.cancel

/**
 * The dispatcher of the virtual threads of [CreationStrategy.fibers]. Its coroutines may block: each has a virtual thread while it runs, and
 * none while it is suspended. `Dispatchers.Fibers.limitedParallelism(100)` lets a hundred run at a time.
 */
@Suppress("UnusedReceiverParameter") // it stands beside the other dispatchers
public val Dispatchers.Fibers: CoroutineDispatcher
    get() = StrategyDispatcher.FIBERS

/**
 * Makes a dispatcher that runs coroutines where the strategy runs actors. `limitedParallelism` gives it a bound. Coroutines whose turn is refused by the
 * strategy are cancelled.
 *
 * @param name the name of its threads, where the strategy gives names to them
 * @return the dispatcher
 * @throws IllegalArgumentException for [CreationStrategy.caller], which would run a coroutine inside the code that resumes it; what is meant is
 *     [Dispatchers.Unconfined]. Also for strategies whose executors are for one actor alone, as those of [CreationStrategy.threads] and
 *     [CreationStrategy.limited]: they take one turn at a time, and a dispatcher has many
 */
public fun CreationStrategy.asCoroutineDispatcher(name: String = "coroutines"): CoroutineDispatcher {
    require(this !== CreationStrategy.caller()) {
        "the strategy caller() cannot be a dispatcher, since it would run a coroutine inside the code that resumes it; use Dispatchers.Unconfined"
    }
    val executor = executorFor(name)
    if (executor is ActorExecutor) {
        executor.actorStopped()
        throw IllegalArgumentException(
            "the strategy $this cannot be a dispatcher, since its executors are for one actor alone, and take one turn at a time; use fibers() or pool(), " +
                "and limitedParallelism for a bound",
        )
    }
    return StrategyDispatcher(executor, name)
}

private class StrategyDispatcher(private val executor: Executor, private val name: String) : CoroutineDispatcher() {
    override fun dispatch(context: CoroutineContext, block: Runnable) {
        val once = Once(block)
        try {
            executor.execute(once)
        } catch (refused: Throwable) {
            // Cancelled, but it has to run to its end.
            val why = CancellationException("the strategy of dispatcher '$name' has refused the coroutine: ${ActorFailures.textOf(refused)}", refused)
            context.cancel(why)
            Dispatchers.IO.dispatch(context) { Bounded.refusing(why, once) }
        }
    }

    override fun limitedParallelism(parallelism: Int, name: String?): CoroutineDispatcher = Bounded(super.limitedParallelism(parallelism, name))

    override fun toString(): String = "StrategyDispatcher[$name]"

    companion object {
        val FIBERS = StrategyDispatcher(CreationStrategy.fibers().executorFor("coroutines"), "fibers")
    }
}

/** A strategy may refuse a task and run it nevertheless. */
private class Once(private val task: Runnable) : AtomicBoolean(), Runnable {
    override fun run() {
        if (compareAndSet(false, true)) {
            task.run()
        }
    }

    private companion object {
        private const val serialVersionUID = 1L
    }
}

/** Gives its coroutines to the dispatcher with the bound, whose own tasks have no coroutine that a refusal could cancel: so each keeps its context. */
private class Bounded(private val bound: CoroutineDispatcher) : CoroutineDispatcher() {
    override fun dispatch(context: CoroutineContext, block: Runnable) = bound.dispatch(context) {
        refusal.get()?.let { context.cancel(it) }
        block.run()
    }

    override fun limitedParallelism(parallelism: Int, name: String?): CoroutineDispatcher = Bounded(bound.limitedParallelism(parallelism, name))

    override fun toString(): String = bound.toString()

    companion object {
        /** Why the turn of the bound that runs on this thread was refused. It has several coroutines, also some that come meanwhile. */
        private val refusal = ThreadLocal<CancellationException>()

        fun refusing(why: CancellationException, task: Runnable) {
            refusal.set(why)
            try {
                task.run()
            } finally {
                refusal.remove()
            }
        }
    }
}
