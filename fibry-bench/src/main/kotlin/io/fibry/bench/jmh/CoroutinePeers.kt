package io.fibry.bench.jmh

import io.fibry.CreationStrategy
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import java.util.function.Consumer
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.BufferOverflow
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.SendChannel
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** A coroutine with a channel in the place of an actor, on the default dispatcher. */
internal class KotlinHome : Peer.Home {
    private val job = SupervisorJob()
    private val scope = CoroutineScope(Dispatchers.Default + job)

    override fun start(handler: Peer.Handler): Peer.Node {
        val channel = Channel<Any>(Channel.UNLIMITED)
        scope.launch {
            for (message in channel) {
                if (handler.handle(this@KotlinHome, message)) break
            }
        }
        return Peer.Node { message -> channel.trySend(message).getOrThrow() }
    }

    override fun close() = runBlocking { job.cancelAndJoin() }
}

/** Coroutines for the other benchmarks. */
internal object CoroutinePeers {
    private class Question(val number: Int, val answer: CompletableDeferred<Int>)

    /** A question carries a deferred answer, as the guide of kotlinx.coroutines advises. */
    @JvmStatic
    fun ask(asks: Int): Int = runBlocking(Dispatchers.Default) {
        val questions = Channel<Question>(Channel.UNLIMITED)
        launch {
            for (question in questions) question.answer.complete(question.number * question.number)
        }
        var sum = 0
        for (i in 0 until asks) {
            val question = Question(i, CompletableDeferred())
            questions.send(question)
            sum += question.answer.await()
        }
        questions.close()
        sum
    }

    /** Runs coroutines that are suspended for a while. */
    @JvmStatic
    fun sleep(count: Int, millis: Int, awake: CountDownLatch) = runBlocking(Dispatchers.Default) {
        repeat(count) {
            launch {
                delay(millis.toLong())
                awake.countDown()
            }
        }
    }

    /** Runs coroutines that block threads of the dispatcher that is made for blocking code. */
    @JvmStatic
    fun blockOnIo(count: Int, block: Runnable) = block(count, Dispatchers.IO, block)

    /** Runs coroutines that block where actors of a strategy would block. */
    @JvmStatic
    fun blockOn(strategy: CreationStrategy, count: Int, block: Runnable) =
        block(count, strategy.executorFor("coroutines").asCoroutineDispatcher(), block)

    private fun block(count: Int, dispatcher: CoroutineDispatcher, block: Runnable) = runBlocking {
        repeat(count) {
            launch(dispatcher) { block.run() }
        }
    }

    /** A coroutine that was made. */
    class Made(private val channel: SendChannel<CountDownLatch>, val parent: Job) {
        /** Tells whether the coroutine is there and handles a message. */
        fun check() {
            val asked = CountDownLatch(1)
            channel.trySend(asked).getOrThrow()
            if (!asked.await(60, TimeUnit.SECONDS)) throw AssertionError("$channel did not handle a message")
        }
    }

    /** Makes coroutines that wait at their channels. */
    @JvmStatic
    fun make(count: Int): Array<Any> {
        val job = SupervisorJob()
        val scope = CoroutineScope(Dispatchers.Default + job)
        return Array(count) {
            val channel = Channel<CountDownLatch>(Channel.UNLIMITED)
            scope.launch {
                for (asked in channel) asked.countDown()
            }
            Made(channel, job)
        }
    }

    /** Stops what was made. */
    @JvmStatic
    fun stop(kept: Array<Any>) {
        val first = kept.firstOrNull()
        if (first is Made) runBlocking { first.parent.cancelAndJoin() }
    }

    /** Sends through a bounded channel. Returns how many messages were received, and how many were dropped. */
    @JvmStatic
    fun bounded(messages: Int, capacity: Int, overflow: BufferOverflow): BoundedPeer.Outcome =
        runBlocking(Dispatchers.Default) {
            val dropped = AtomicInteger()
            val channel = Channel<Any>(capacity, overflow) { dropped.incrementAndGet() }
            var received = 0
            val receiver = launch {
                for (message in channel) received++
            }
            launch {
                repeat(messages) { channel.send(BoundedPeer.MESSAGE) }
                channel.close()
            }
            receiver.join()
            BoundedPeer.Outcome(received.toLong(), dropped.get().toLong())
        }

    /** Receives numbers while another thread sends them. Returns their sum. */
    @JvmStatic
    fun receive(messages: Int, sender: Consumer<Consumer<Any>>): Long {
        val channel = Channel<Any>(Channel.UNLIMITED)
        val sum = CoroutineScope(Dispatchers.Default).async {
            var sum = 0L
            repeat(messages) { sum += channel.receive() as Int }
            sum
        }
        sender.accept { message -> channel.trySend(message).getOrThrow() }
        return runBlocking { sum.await() }
    }

    /** Collects what a flow emits on another thread, with some values ahead. Returns how many values came. */
    @JvmStatic
    fun generate(values: Int, ahead: Int): Long = runBlocking {
        var count = 0L
        flow { for (i in 0 until values) emit(i + PatternPeer.FIRST) }.buffer(ahead).flowOn(Dispatchers.Default)
            .collect { count++ }
        count
    }
}
