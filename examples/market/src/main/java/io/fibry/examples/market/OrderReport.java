package io.fibry.examples.market;

/**
 * What has become of an order.
 *
 * @param order the order
 * @param state its state
 * @param filled how much of it is traded
 * @param cents what was paid or taken for that
 */
record OrderReport(LimitOrder order, OrderState state, int filled, long cents) {
}
