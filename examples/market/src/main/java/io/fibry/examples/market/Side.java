package io.fibry.examples.market;

/** Whether an order buys or sells. */
enum Side {
    BUY, SELL
}
