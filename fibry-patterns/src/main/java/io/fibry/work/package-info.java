/**
 * Work that may fail or comes too often: retries, circuit breakers, hedges and rate limits around any call, transactions on a
 * state, batches, and executor services.
 *
 * <pre>{@code
 * var retry = Retry.open(scope, "retry", RetryOptions.of(5, Duration.ofMillis(10), Duration.ofSeconds(1)));
 * var breaker = CircuitBreaker.open(scope, "prices",
 *         BreakerOptions.of(BreakerWindow.lastCalls(20), Duration.ofSeconds(10)));
 * var price = retry.around(breaker).start(() -> prices.ask("tea")).get();
 *
 * var stock = Transactions.open(scope.named("stock"), HashMap<String, Integer>::new, HashMap::new,
 *         (Map<String, Integer> items, String item) -> items.merge(item, 1, Integer::sum));
 * stock.sendAll(List.of("tea", "milk"));
 * }</pre>
 */
@NullMarked
package io.fibry.work;

import org.jspecify.annotations.NullMarked;
