package io.fibry.examples.market;

import io.fibry.ActorScope;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/** A trader without a human: the state of an actor that gives an order now and then, near the last price. */
final class VirtualTrader {
    private static final int FIRST_PRICE = 2_000;
    private static final double SPREAD = 12;
    private static final int MOST_PLACED = Desk.MOST_OPEN - 5;

    private final Marketplace exchange;
    private final Random random;
    private final Desk desk;
    private final Deque<Long> placed = new ArrayDeque<>();

    private VirtualTrader(Marketplace exchange, Random random) {
        this.exchange = exchange;
        this.random = random;
        desk = new Desk(exchange, report -> {
        });
    }

    /** Makes a trader that gives an order each period until the scope ends. */
    static void open(ActorScope scope, int number, Marketplace exchange, Duration period) {
        var actor = scope.named("trader-" + number)
                .state(() -> new VirtualTrader(exchange, new Random(number)))
                .newActor((VirtualTrader trader, Duration tick) -> trader.trade());
        scope.schedule(Schedule.fixedRate(period), actor, period);
    }

    private void trade() throws Refusal {
        var symbols = exchange.symbols();
        int which = random.nextInt(symbols.size());
        var symbol = symbols.get(which);
        var side = random.nextBoolean() ? Side.BUY : Side.SELL;
        int usual = FIRST_PRICE * (which + 1);
        int last = exchange.trades().topic(symbol).last().map(Trade::price).orElse(usual);
        // A little towards the usual price, and a little less than the last one for a buyer.
        double middle = last + (usual - last) * 0.02;
        double better = side == Side.BUY ? -SPREAD : SPREAD;
        int price = (int) Math.round(middle + better * 0.6 + random.nextGaussian() * SPREAD);
        if (placed.size() == MOST_PLACED) {
            exchange.cancel(placed.removeFirst());
        }
        placed.addLast(desk.place(symbol, side, Math.clamp(price, 1, Desk.MOST_CENTS),
                1 + random.nextInt(50)));
    }
}
