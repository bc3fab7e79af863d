@file:JvmName("ActorLambdas")

package io.fibry.kotlin

import io.fibry.Actor
import io.fibry.ActorBuilder
import io.fibry.ActorContext
import io.fibry.StatefulActor
import io.fibry.StatefulActorBuilder
import io.fibry.function.ContextReplyHandler
import io.fibry.function.ContextStateReplyHandler

/**
 * Makes an actor. Its handler is a lambda whose receiver is the actor's context, and whose value is the answer:
 *
 * ```
 * val squares = scope.named("squares").actor { n: Int -> n * n }
 * ```
 *
 * The messages of a sealed type are told apart by `when`, and the compiler knows whether one is missing. A handler that has nothing
 * to answer returns [Unit]. A handler runs on a thread that may block; it is not a suspending function.
 *
 * The function is inline, so that dumps and meters show the place of the lambda as the class of the handler.
 *
 * @param M type of the messages, which the parameter of the lambda has to name
 * @param R type of the answers
 * @param handler what the actor does with a message
 * @return the actor
 */
public inline fun <M : Any, R> ActorBuilder.actor(
    crossinline handler: ActorContext<M, R>.(message: M) -> R,
): Actor<M, R> = newActorWithReturn(ContextReplyHandler { context, message -> context.handler(message) })

/**
 * Makes an actor with a state of its own:
 *
 * ```
 * val stock = scope.named("stock").state(::Stock).actor { stock, order: Order -> stock.handle(order) }
 * ```
 *
 * All else is as for the other function of this name.
 *
 * @param S type of the state
 * @param M type of the messages, which the parameter of the lambda has to name
 * @param R type of the answers
 * @param handler what the actor does with a message
 * @return the actor
 */
public inline fun <S : Any, M : Any, R> StatefulActorBuilder<S>.actor(
    crossinline handler: ActorContext<M, R>.(state: S, message: M) -> R,
): StatefulActor<S, M, R> =
    newActorWithReturn(ContextStateReplyHandler { context, state, message -> context.handler(state, message) })
