package io.fibry.examples.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MarketplaceTest {
    private static final Duration LIFETIME = Duration.ofSeconds(30);
    /** How long the test waits for what must happen. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final ManualTime time = new ManualTime();
    private final ActorScope scope = ActorSystem.configure("test").time(time).open();
    private final Marketplace exchange =
            new Marketplace(scope, List.of("TEA", "COFFEE"), LIFETIME, Duration.ofSeconds(1));
    private final BlockingQueue<OrderReport> reports = new LinkedBlockingQueue<>();
    private final Desk desk = new Desk(exchange, reports::add);

    @AfterEach
    void close() {
        exchange.close();
        scope.close();
    }

    private OrderReport report(long id, OrderState wanted) throws InterruptedException {
        while (true) {
            var report = reports.poll(60, TimeUnit.SECONDS);
            assertThat(report).as("order %d becomes %s", id, wanted).isNotNull();
            if (report.order().id() == id && report.state() == wanted) {
                return report;
            }
        }
    }

    @Test
    void anOrderIsFilledInParts() throws Exception {
        long seller = desk.place("TEA", Side.SELL, 100, 10);
        report(seller, OrderState.ACCEPTED);
        desk.place("TEA", Side.BUY, 120, 4);
        assertThat(report(seller, OrderState.PARTLY_FILLED).filled()).isEqualTo(4);
        desk.place("TEA", Side.BUY, 100, 6);

        assertThat(report(seller, OrderState.FILLED).cents()).isEqualTo(1_000);
        await().atMost(LIMIT).untilAsserted(() -> assertThat(exchange.open()).isZero());
    }

    @Test
    void anOrderOfAnotherSymbolDoesNotTrade() throws Exception {
        long tea = desk.place("TEA", Side.SELL, 100, 10);
        report(tea, OrderState.ACCEPTED);
        long coffee = desk.place("COFFEE", Side.BUY, 100, 10);
        report(coffee, OrderState.ACCEPTED);

        assertThat(exchange.trades().topic("TEA").last()).isEmpty();
        assertThat(exchange.open()).isEqualTo(2);
    }

    @Test
    void anOrderIsCancelledByItsTraderOnly() throws Exception {
        long id = desk.place("TEA", Side.SELL, 100, 10);
        report(id, OrderState.ACCEPTED);
        var other = new Desk(exchange, report -> {
        });

        assertThat(refusal(() -> other.cancel(id))).isEqualTo("you have no open order " + id);
        desk.cancel(id);
        report(id, OrderState.CANCELLED);
        assertThat(refusal(() -> desk.cancel(id))).isEqualTo("you have no open order " + id);
    }

    @Test
    void anOrderExpires() throws Exception {
        long id = desk.place("TEA", Side.SELL, 100, 10);
        report(id, OrderState.ACCEPTED);
        // The report comes from the action of the state; its time-out is set in the same step, a little later.
        await().pollInSameThread().atMost(LIMIT).until(() -> {
            time.advance(LIFETIME);
            return reports.stream().anyMatch(report -> report.state() == OrderState.EXPIRED);
        });

        assertThat(exchange.open()).isZero();
    }

    @Test
    void whatIsOutsideTheLimitsIsRefused() throws Exception {
        assertThat(refusal(() -> desk.place("GOLD", Side.BUY, 1, 1)))
                .isEqualTo("'GOLD' is not traded here; there are TEA, COFFEE");
        assertThat(refusal(() -> desk.place("TEA", Side.BUY, 1, 1_001)))
                .isEqualTo("a quantity is from 1 to 1000, not 1001");
        assertThat(refusal(() -> desk.place("TEA", Side.BUY, 0, 1)))
                .isEqualTo("a price is from 1 to 100000 cents, not 0");
        for (int i = 0; i < Desk.MOST_OPEN; i++) {
            desk.place("TEA", Side.BUY, 1, 1);
        }
        assertThat(refusal(() -> desk.place("TEA", Side.BUY, 1, 1)))
                .isEqualTo("you have 20 open orders, which is the most; cancel one");
        assertThat(exchange.open()).isEqualTo(Desk.MOST_OPEN);
    }

    private interface Try {
        void run() throws Refusal;
    }

    private static String refusal(Try code) {
        try {
            code.run();
        } catch (Refusal refusal) {
            return refusal.getMessage();
        }
        throw new AssertionError("nothing was refused");
    }

    /** Several traders at once, who also cancel: in the end all quantities and all money add up. */
    @Test
    void nothingIsLostInARandomRun() throws Exception {
        Map<Long, OrderReport> last = new ConcurrentHashMap<>();
        Collection<Throwable> failures = new ConcurrentLinkedQueue<>();
        var trades = new ConcurrentLinkedQueue<Trade>();
        var all = exchange.trades().subscribe("*", (symbol, trade) -> trades.add(trade));
        try (all) {
            var traders = IntStream.range(0, 4).mapToObj(n -> Thread.ofVirtual().start(() -> {
                try {
                    trade(new Random(n), last);
                } catch (Throwable e) {
                    failures.add(e);
                }
            })).toList();
            for (var trader : traders) {
                trader.join();
            }
            await().atMost(LIMIT).until(() -> exchange.open() == 0);
            assertThat(failures).isEmpty();

            for (var side : Side.values()) {
                var mine = last.values().stream().filter(report -> report.order().side() == side).toList();
                await().atMost(LIMIT).untilAsserted(() -> {
                    assertThat(mine.stream().mapToLong(OrderReport::filled).sum()).isPositive()
                            .isEqualTo(trades.stream().mapToLong(Trade::quantity).sum());
                    assertThat(mine.stream().mapToLong(OrderReport::cents).sum())
                            .isEqualTo(trades.stream()
                                    .mapToLong(trade -> (long) trade.price() * trade.quantity()).sum());
                });
            }
            assertThat(last.values()).hasSize(800).allMatch(report -> !report.state().isOpen())
                    .allMatch(report -> (report.state() == OrderState.FILLED) == (report.filled() == report
                            .order().quantity()));
        }
    }

    private void trade(Random random, Map<Long, OrderReport> last) throws Exception {
        var places = new Semaphore(Desk.MOST_OPEN);
        var own = new Desk(exchange, report -> {
            last.put(report.order().id(), report);
            if (!report.state().isOpen()) {
                places.release();
            }
        });
        for (int placed = 0; placed < 200; placed++) {
            if (!places.tryAcquire()) {
                own.cancelAll();
                places.acquire();
            }
            own.place(random.nextBoolean() ? "TEA" : "COFFEE", random.nextBoolean() ? Side.BUY : Side.SELL,
                    95 + random.nextInt(10), 1 + random.nextInt(20));
        }
        own.cancelAll();
    }
}
