@file:JvmName("KotlinDurations")

package io.fibry.kotlin

import io.fibry.ActorBuilder
import io.fibry.ActorContext
import io.fibry.Recipient
import io.fibry.ScopeBuilder
import io.fibry.time.Scheduled
import io.fibry.time.Timers
import kotlin.jvm.optionals.getOrNull
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlin.time.toKotlinDuration

/**
 * How much time is left for the message that is being handled, if that is an ask with a time limit: zero if it is over, null if there is no limit.
 */
public val ActorContext<*, *>.timeLeft: Duration?
    get() = timeLeft().getOrNull()?.toKotlinDuration()

/**
 * Sends a message that is not handled if it waits for longer than the given time.
 *
 * @param message the message
 * @param timeToLive how long the message may wait; more than zero
 * @return whether it was accepted
 */
public fun <M : Any> Recipient<M, *>.sendMessage(message: M, timeToLive: Duration): Boolean =
    sendMessage(message, timeToLive.toJavaDuration())

/**
 * Sends a message to the actor once.
 *
 * @param key names the timer; an earlier timer of that key is cancelled
 * @param delay how long from now
 * @param message the message
 * @return the timer's handle
 */
public fun <M : Any> Timers<M>.once(key: Any, delay: Duration, message: M): Scheduled =
    once(key, delay.toJavaDuration(), message)

/**
 * Sends a message to the actor again and again at a fixed rate.
 *
 * @param key names the timer; an earlier timer of that key is cancelled
 * @param period how long from now, and then from one to the next; more than zero
 * @param message the message
 * @return the timer's handle
 */
public fun <M : Any> Timers<M>.fixedRate(key: Any, period: Duration, message: M): Scheduled =
    fixedRate(key, period.toJavaDuration(), message)

/**
 * Sends a message to the actor again and again, each one [delay] after the one before was handled.
 *
 * @param key names the timer; an earlier timer of that key is cancelled
 * @param delay how long from now, and then from the end of one to the next; more than zero
 * @param message the message
 * @return the timer's handle
 */
public fun <M : Any> Timers<M>.fixedDelay(key: Any, delay: Duration, message: M): Scheduled =
    fixedDelay(key, delay.toJavaDuration(), message)

/**
 * Returns a builder whose actors stop when they have had nothing to do for some time.
 *
 * @param quiet for how long an actor may have nothing to do; more than zero
 * @return the new builder
 */
public fun ActorBuilder.stopWhenIdle(quiet: Duration): ActorBuilder = stopWhenIdle(quiet.toJavaDuration())

/**
 * Returns a builder with another close time-out: how long the close of the scope lets actors handle the messages that are queued.
 *
 * @param timeout the time
 * @return the new builder
 */
public fun ScopeBuilder.closeTimeout(timeout: Duration): ScopeBuilder = closeTimeout(timeout.toJavaDuration())
