package io.fibry.examples.market;

/**
 * An order as a trader has given it.
 *
 * @param id counts the orders of the market
 * @param symbol what is traded
 * @param side whether it buys or sells
 * @param price the limit, in cents: the most that a buyer pays, or the least that a seller takes
 * @param quantity how much
 */
record LimitOrder(long id, String symbol, Side side, int price, int quantity) {
    /** Tells whether the order may trade with one on the other side that has the given limit. */
    boolean accepts(int limit) {
        return side == Side.BUY ? price >= limit : price <= limit;
    }
}
