package io.fibry.examples.market;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Where one trader gives orders. It checks them, and the trader's limits, and it cancels the orders of its trader only. */
final class Desk {
    static final int MOST_OPEN = 20;
    static final int MOST_QUANTITY = 1_000;
    static final int MOST_CENTS = 100_000;

    private final Marketplace exchange;
    private final Consumer<OrderReport> listener;
    private final AtomicInteger open = new AtomicInteger();
    private final Set<Long> mine = ConcurrentHashMap.newKeySet();
    /** The orders that are being cancelled. A second wish changes nothing, and would wait in the order as an event. */
    private final Set<Long> cancelled = ConcurrentHashMap.newKeySet();

    Desk(Marketplace exchange, Consumer<OrderReport> listener) {
        this.exchange = exchange;
        this.listener = listener;
    }

    long place(String symbol, Side side, int price, int quantity) throws Refusal {
        checkSymbol(symbol);
        if (quantity < 1 || quantity > MOST_QUANTITY) {
            throw new Refusal("a quantity is from 1 to %d, not %d".formatted(MOST_QUANTITY, quantity));
        }
        if (price < 1 || price > MOST_CENTS) {
            throw new Refusal("a price is from 1 to %d cents, not %d".formatted(MOST_CENTS, price));
        }
        if (open.incrementAndGet() > MOST_OPEN) {
            open.decrementAndGet();
            throw new Refusal("you have %d open orders, which is the most; cancel one".formatted(MOST_OPEN));
        }
        long id = exchange.nextId();
        mine.add(id);
        exchange.place(new LimitOrder(id, symbol, side, price, quantity), this::hear);
        return id;
    }

    String checkSymbol(String symbol) throws Refusal {
        if (!exchange.symbols().contains(symbol)) {
            throw new Refusal("'%s' is not traded here; there are %s".formatted(symbol,
                    String.join(", ", exchange.symbols())));
        }
        return symbol;
    }

    void cancel(long id) throws Refusal {
        if (!mine.contains(id) || !cancelOnce(id)) {
            throw new Refusal("you have no open order " + id);
        }
    }

    void cancelAll() {
        mine.forEach(this::cancelOnce);
    }

    private boolean cancelOnce(long id) {
        return !cancelled.add(id) || exchange.cancel(id);
    }

    private void hear(OrderReport report) {
        if (!report.state().isOpen() && mine.remove(report.order().id())) {
            open.decrementAndGet();
            cancelled.remove(report.order().id());
        }
        listener.accept(report);
    }
}
