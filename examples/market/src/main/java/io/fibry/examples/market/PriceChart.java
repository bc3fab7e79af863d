package io.fibry.examples.market;

import java.util.List;

/**
 * What a page shows of the past of a symbol.
 *
 * @param symbol what is traded
 * @param candles the prices over time, the oldest first
 * @param trades the last trades, the latest first
 */
record PriceChart(String symbol, List<Candle> candles, List<Trade> trades) {
    /**
     * The prices in a span of time.
     *
     * @param start when it begins, in milliseconds since 1970
     * @param open the first price in cents
     * @param high the highest price
     * @param low the lowest price
     * @param close the last price
     * @param volume how much was traded
     */
    record Candle(long start, int open, int high, int low, int close, long volume) {
        Candle with(Trade trade) {
            return new Candle(start, open, Math.max(high, trade.price()), Math.min(low, trade.price()),
                    trade.price(), volume + trade.quantity());
        }
    }
}
