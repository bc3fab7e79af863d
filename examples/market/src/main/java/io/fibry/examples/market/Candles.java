package io.fibry.examples.market;

import io.fibry.examples.market.PriceChart.Candle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes charts of trades: the state of one stage of a pipeline, which handles one trade at a time. */
final class Candles {
    private static final int CANDLES = 60;
    private static final int TRADES = 14;

    private static final class History {
        private final Deque<Candle> candles = new ArrayDeque<>();
        private final Deque<Trade> trades = new ArrayDeque<>();
    }

    private final long millis;
    private final Map<String, History> histories = new HashMap<>();

    Candles(Duration span) {
        millis = span.toMillis();
    }

    PriceChart add(Trade trade) {
        var history = histories.computeIfAbsent(trade.symbol(), symbol -> new History());
        var candles = history.candles;
        long start = trade.at() - Math.floorMod(trade.at(), millis);
        if (!candles.isEmpty() && candles.getLast().start() >= start) {
            candles.addLast(candles.removeLast().with(trade));
        } else {
            candles.addLast(new Candle(start, trade.price(), trade.price(), trade.price(), trade.price(),
                    trade.quantity()));
        }
        history.trades.addFirst(trade);
        if (candles.size() > CANDLES) {
            candles.removeFirst();
        }
        if (history.trades.size() > TRADES) {
            history.trades.removeLast();
        }
        return new PriceChart(trade.symbol(), List.copyOf(candles), List.copyOf(history.trades));
    }
}
