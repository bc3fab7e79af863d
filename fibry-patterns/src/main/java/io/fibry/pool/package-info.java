/**
 * Pools of workers, routers, and parallel maps.
 *
 * <pre>{@code
 * try (var scope = ActorSystem.open("shop")) {
 *     var prices = WorkerPool.openWithReturn(scope, "prices", PoolOptions.<Item>scaling(1, 8, Duration.ofSeconds(30), 500),
 *             WorkerState.of(Database::connect),                        // one connection for each worker
 *             (connection, item) -> connection.priceOf(item));
 *     CompletableFuture<Price> price = prices.sendMessageReturn(item);
 *
 *     var router = Router.byKey("accounts", List.of(east, west), Booking::account);
 *     router.sendMessage(booking);                                      // an account stays with its actor
 *
 *     try (var results = ParallelMap.with(prices, 16).over(items.stream())) {
 *         results.forEach(this::show);                                  // in the order of the items
 *     }
 * }
 * }</pre>
 */
@NullMarked
package io.fibry.pool;

import io.fibry.ActorSystem;
import org.jspecify.annotations.NullMarked;
