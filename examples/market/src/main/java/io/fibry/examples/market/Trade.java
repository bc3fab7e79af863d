package io.fibry.examples.market;

/**
 * What two orders have traded.
 *
 * @param symbol what was traded
 * @param price the price in cents, which is that of the order that waited
 * @param quantity how much
 * @param waiting the id of the order that waited
 * @param arrived the id of the order that arrived
 * @param side the side of the order that arrived
 * @param at the time, in milliseconds since 1970
 */
record Trade(String symbol, int price, int quantity, long waiting, long arrived, Side side, long at) {
}
