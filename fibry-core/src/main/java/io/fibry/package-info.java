/**
 * Actors, scopes, strategies and policies.
 *
 * <pre>{@code
 * record Order(String item, int amount) {
 * }
 *
 * try (var scope = ActorSystem.open("shop")) {
 *     var stock = scope.named("stock").of(Order.class).state(HashMap<String, Integer>::new)
 *             .newActorWithReturn((items, order) -> items.merge(order.item(), order.amount(), Integer::sum));
 *     stock.sendMessage(new Order("tea", 3));                  // does not wait
 *     System.out.println(stock.apply(new Order("tea", 4)));    // waits for the answer: 7
 * } // the actors have handled what was queued, and have stopped
 * }</pre>
 *
 * <p>{@link io.fibry.Actor} has tables of the ways to ask an actor, to run code in it and to stop it. The guide,
 * {@code docs/guide.md} in the source repository, explains each part with examples.
 *
 * <p>Memory consistency: what a thread does before it sends a message <i>happens-before</i> the actor's
 * handler receives it; the handling of one message <i>happens-before</i> the handling of the next, on
 * whatever thread that runs; the end of a handler <i>happens-before</i> the return of the answer's
 * {@code get}. {@code docs/semantics.md}, and the pages beside it, number these and all other promises.
 */
@NullMarked
package io.fibry;

import org.jspecify.annotations.NullMarked;
