package io.fibry.examples.market;

import io.fibry.examples.market.Depth.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * The orders of one symbol that wait. The best price trades first, and at one price the oldest order. A book has no lock:
 * the pool never handles two messages of one symbol at a time.
 */
final class Book {
    /** An order that waits, and what is left of it. */
    private static final class Waiting {
        private final LimitOrder order;
        private int left;

        private Waiting(LimitOrder order, int left) {
            this.order = order;
            this.left = left;
        }
    }

    private final String symbol;
    /** By price, the best one first, and then by age. */
    private final NavigableMap<Integer, SequencedMap<Long, Waiting>> bids =
            new TreeMap<>(Comparator.reverseOrder());
    private final NavigableMap<Integer, SequencedMap<Long, Waiting>> asks = new TreeMap<>();
    private final Map<Long, LimitOrder> waiting = new HashMap<>();

    Book(String symbol) {
        this.symbol = symbol;
    }

    private NavigableMap<Integer, SequencedMap<Long, Waiting>> orders(Side side) {
        return side == Side.BUY ? bids : asks;
    }

    /** Trades as much of the order as the waiting orders allow. The rest waits. */
    List<Trade> place(LimitOrder order, long at) {
        var trades = new ArrayList<Trade>();
        var others = orders(order.side() == Side.BUY ? Side.SELL : Side.BUY);
        int left = order.quantity();
        while (left > 0 && !others.isEmpty() && order.accepts(others.firstKey())) {
            var oldest = others.firstEntry().getValue().firstEntry().getValue();
            int quantity = Math.min(left, oldest.left);
            left -= quantity;
            oldest.left -= quantity;
            if (oldest.left == 0) {
                withdraw(oldest.order.id());
            }
            trades.add(new Trade(symbol, oldest.order.price(), quantity, oldest.order.id(), order.id(),
                    order.side(), at));
        }
        if (left > 0) {
            orders(order.side()).computeIfAbsent(order.price(), price -> new LinkedHashMap<>())
                    .put(order.id(), new Waiting(order, left));
            waiting.put(order.id(), order);
        }
        return trades;
    }

    /** Takes an order out. Returns false if it does not wait here, for example because it is filled. */
    boolean withdraw(long id) {
        var order = waiting.remove(id);
        if (order == null) {
            return false;
        }
        orders(order.side()).compute(order.price(), (price, same) -> {
            same.remove(id);
            return same.isEmpty() ? null : same;
        });
        return true;
    }

    /** Returns the best prices of both sides. */
    Depth depth(int levels) {
        return new Depth(symbol, levels(bids, levels), levels(asks, levels));
    }

    private static List<Level> levels(NavigableMap<Integer, SequencedMap<Long, Waiting>> orders, int most) {
        return orders.entrySet().stream().limit(most)
                .map(each -> new Level(each.getKey(),
                        each.getValue().values().stream().mapToLong(order -> order.left).sum()))
                .toList();
    }
}
