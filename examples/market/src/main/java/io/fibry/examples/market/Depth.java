package io.fibry.examples.market;

import java.util.List;

/**
 * The best prices at which orders wait.
 *
 * @param symbol what is traded
 * @param bids the prices of buyers, the highest first
 * @param asks the prices of sellers, the lowest first
 */
record Depth(String symbol, List<Level> bids, List<Level> asks) {
    /**
     * A price at which orders wait.
     *
     * @param price the price in cents
     * @param quantity how much of the orders is left
     */
    record Level(int price, long quantity) {
    }
}
