package io.fibry.bench

import io.fibry.CreationStrategy
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executor
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** Coroutines for experiments that are whole programs. */
internal object Coroutines {
    /** Starts a coroutine for each task, where tasks may block. */
    @JvmStatic
    fun io(): Executor = launching(Dispatchers.IO)

    /** Starts a coroutine for each task, where tasks compute. */
    @JvmStatic
    fun cpu(): Executor = launching(Dispatchers.Default)

    private fun launching(dispatcher: CoroutineDispatcher): Executor {
        val scope = CoroutineScope(dispatcher)
        return Executor { task -> scope.launch { task.run() } }
    }

    /** Sends a request again and again, all at once or one after another. */
    @JvmStatic
    fun call(client: HttpClient, request: HttpRequest, times: Int, atOnce: Boolean) =
        runBlocking(Dispatchers.Default) {
            if (atOnce) List(times) { async { once(client, request) } }.awaitAll()
            else List(times) { once(client, request) }
        }

    private suspend fun once(client: HttpClient, request: HttpRequest) =
        client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).await()

    /** Starts one coroutine after another, and waits for the result of each. Returns the sum of the results. */
    @JvmStatic
    fun await(dispatcher: CoroutineDispatcher, times: Int, task: Callable<Int>): Long = runBlocking(dispatcher) {
        var sum = 0L
        repeat(times) { sum += async { task.call() }.await() }
        sum
    }

    /** Waits for the result of one future after another, without a thread. Returns the sum of the results. */
    @JvmStatic
    fun awaitLater(times: Int, task: Callable<CompletableFuture<Int>>): Long = runBlocking(Dispatchers.Default) {
        var sum = 0L
        repeat(times) { sum += task.call().await() }
        sum
    }

    /** Starts coroutines that are suspended first. Then a limited number of them work at a time. */
    @JvmStatic
    fun delayOn(strategy: CreationStrategy, atOnce: Int, count: Int, millis: Int, then: Runnable) =
        delay(dispatcher(strategy).limitedParallelism(atOnce), count, millis, then)

    /** Does the same on the dispatcher that is made for blocking code. */
    @JvmStatic
    fun delayOnIo(atOnce: Int, count: Int, millis: Int, then: Runnable) =
        delay(Dispatchers.IO.limitedParallelism(atOnce), count, millis, then)

    /** Starts coroutines that are suspended first, and then work. */
    @JvmStatic
    fun delay(where: CoroutineDispatcher, count: Int, millis: Int, then: Runnable) = runBlocking {
        repeat(count) {
            launch(where) {
                delay(millis.toLong())
                then.run()
            }
        }
    }

    /** Starts coroutines, of which a limited number run, and block, at a time. */
    @JvmStatic
    fun runOn(strategy: CreationStrategy, atOnce: Int, count: Int, block: Runnable) = runBlocking {
        val dispatcher = dispatcher(strategy).limitedParallelism(atOnce)
        repeat(count) {
            launch(dispatcher) { block.run() }
        }
    }

    /** Makes a dispatcher of a strategy. */
    @JvmStatic
    fun dispatcher(strategy: CreationStrategy) =
        strategy.executorFor("coroutines").asCoroutineDispatcher()
}
