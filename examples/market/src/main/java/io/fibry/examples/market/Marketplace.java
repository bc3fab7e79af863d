package io.fibry.examples.market;

import io.fibry.ActorScope;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.examples.market.OrderEvent.Accepted;
import io.fibry.examples.market.OrderEvent.Filled;
import io.fibry.examples.market.OrderEvent.Withdrawn;
import io.fibry.flow.FlowOptions;
import io.fibry.flow.FlowPublisher;
import io.fibry.flow.Flows;
import io.fibry.flow.PipelineRun;
import io.fibry.flow.StageOptions;
import io.fibry.fsm.MachineOptions;
import io.fibry.fsm.StateMachine;
import io.fibry.fsm.TransitionTable;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.topic.SubscriberOptions;
import io.fibry.topic.TopicOptions;
import io.fibry.topic.Topics;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Matches orders, and publishes what is traded.
 *
 * <p>Each order is a {@link StateMachine}. Its orders to the book go to a {@link WorkerPool} with the symbol as key, so the
 * books of several symbols are used side by side, and one book by one worker at a time. The workers tell the machines what
 * is traded, and publish trades and the depth of the books to {@link Topics}. A pipeline makes charts of the trades.
 *
 * <p>The pipeline gets all trades, and the workers wait for it if it is behind. No worker waits for subscribers of the
 * depth and the charts.
 */
final class Marketplace implements AutoCloseable {
    private static final int WORKERS = 4;
    private static final int WAITING = 1_000;
    private static final int LEVELS = 8;

    /** What a worker does with a book. */
    private sealed interface Instruction {
        LimitOrder order();
    }

    private record Place(LimitOrder order) implements Instruction {
    }

    private record Withdraw(LimitOrder order, OrderState end) implements Instruction {
    }

    private final ActorScope scope;
    private final List<String> symbols;
    private final Clock clock;
    private final Map<String, Book> books;
    private final TransitionTable<OrderState, OrderEvent, OrderLife> table;
    private final Map<Long, StateMachine<OrderState, OrderEvent, OrderLife>> open = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private final Topics<Trade> trades;
    private final Topics<Depth> depths;
    private final Topics<PriceChart> charts;
    private final WorkerPool<Instruction, Void> matching;
    private final FlowPublisher<Trade> traded;
    private final PipelineRun<Long> charting;

    /**
     * Opens an exchange.
     *
     * @param scope the scope of its actors
     * @param symbols what is traded
     * @param lifetime how long an order may wait in a state
     * @param candle the span of a candle in the charts
     */
    Marketplace(ActorScope scope, List<String> symbols, Duration lifetime, Duration candle) {
        this.scope = scope;
        this.symbols = List.copyOf(symbols);
        clock = scope.time().clock();
        books = this.symbols.stream().collect(Collectors.toUnmodifiableMap(Function.identity(), Book::new));
        table = OrderLife.table(lifetime);
        var keepingLast = TopicOptions.defaults().keepingLast();
        trades = Topics.open(scope, "trades", keepingLast);
        depths = Topics.open(scope, "depths", keepingLast);
        charts = Topics.open(scope, "charts", keepingLast);
        var all = SubscriberOptions.named("candles")
                .withMailbox(MailboxPolicy.bounded(WAITING, OverflowPolicy.block()));
        traded = Flows.connected(scope, "traded", FlowOptions.usual(),
                sink -> trades.subscribe("*", all, (symbol, trade) -> sink.offer(trade)));
        var candles = new Candles(candle);
        charting = Flows.pipeline(scope, "charting", traded)
                .then(candles::add, StageOptions.usual().withName("candles"))
                .forEach(chart -> charts.publish(chart.symbol(), chart),
                        StageOptions.usual().withName("publish"));
        matching = WorkerPool.open(scope, "matching",
                PoolOptions.<Instruction>fixed(WORKERS, WAITING).withOverflow(OverflowPolicy.block())
                        .withKey(instruction -> instruction.order().symbol()),
                this::match);
    }

    List<String> symbols() {
        return symbols;
    }

    Topics<Trade> trades() {
        return trades;
    }

    Topics<Depth> depths() {
        return depths;
    }

    Topics<PriceChart> charts() {
        return charts;
    }

    /** Returns how many orders are open. */
    int open() {
        return open.size();
    }

    /** Returns the id for the next order. */
    long nextId() {
        return ids.incrementAndGet();
    }

    /**
     * Places an order.
     *
     * @param order the order, with an id of its own
     * @param listener gets each change of the order, in the actor of the order
     */
    void place(LimitOrder order, Consumer<OrderReport> listener) {
        var life = new OrderLife(order, report -> {
            listener.accept(report);
            if (!report.state().isOpen()) {
                open.remove(order.id());
            }
        }, (same, end) -> matching.sendMessage(new Withdraw(same, end)));
        var machine = StateMachine.open(scope, "order-" + order.id(),
                MachineOptions.standard(), table, () -> life);
        open.put(order.id(), machine);
        if (!matching.sendMessage(new Place(order))) {
            open.remove(order.id());
            machine.close();
            throw new IllegalStateException("the market is closed");
        }
    }

    /** Cancels an order, unless it is filled before. Returns false if it is not open. */
    boolean cancel(long id) {
        var machine = open.get(id);
        return machine != null && machine.send(new OrderEvent.Cancel());
    }

    private void match(Instruction instruction) {
        var symbol = instruction.order().symbol();
        var book = books.get(symbol);
        switch (instruction) {
            case Place(var order) -> {
                tell(order.id(), new Accepted());
                for (var trade : book.place(order, clock.millis())) {
                    var fill = new Filled(trade.quantity(), trade.price());
                    tell(trade.waiting(), fill);
                    tell(trade.arrived(), fill);
                    trades.publish(symbol, trade);
                }
            }
            case Withdraw(var order, var end) -> {
                if (book.withdraw(order.id())) {
                    tell(order.id(), new Withdrawn(end));
                }
            }
        }
        depths.publish(symbol, book.depth(LEVELS));
    }

    private void tell(long id, OrderEvent event) {
        var machine = open.get(id);
        if (machine != null) {
            machine.send(event);
        }
    }

    /** Ends the exchange. Orders that wait are discarded. */
    @Override
    public void close() {
        matching.close();
        trades.close();
        charting.close();
        traded.close();
        depths.close();
        charts.close();
    }
}
