package io.fibry.examples.market;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.examples.market.Depth.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class BookTest {
    private final Book book = new Book("TEA");
    private long ids;

    private LimitOrder order(Side side, int price, int quantity) {
        return new LimitOrder(++ids, "TEA", side, price, quantity);
    }

    private List<Trade> place(Side side, int price, int quantity) {
        return book.place(order(side, price, quantity), 0);
    }

    private static Trade sold(int price, int quantity, long waiting, long arrived) {
        return new Trade("TEA", price, quantity, waiting, arrived, Side.BUY, 0);
    }

    @Test
    void theBestPriceComesFirstAndThenTheOldestOrder() {
        place(Side.SELL, 105, 5); // 1
        place(Side.SELL, 100, 5); // 2
        place(Side.SELL, 100, 5); // 3
        place(Side.SELL, 110, 5); // 4

        assertThat(place(Side.BUY, 105, 17)).containsExactly(sold(100, 5, 2, 5), sold(100, 5, 3, 5),
                sold(105, 5, 1, 5));
        assertThat(book.depth(9)).isEqualTo(
                new Depth("TEA", List.of(new Level(105, 2)), List.of(new Level(110, 5))));
    }

    @Test
    void anOrderThatIsPartlyFilledKeepsItsPlace() {
        place(Side.SELL, 100, 5);
        place(Side.SELL, 100, 5);

        assertThat(place(Side.BUY, 100, 3)).containsExactly(sold(100, 3, 1, 3));
        assertThat(place(Side.BUY, 100, 3)).containsExactly(sold(100, 2, 1, 4), sold(100, 1, 2, 4));
    }

    @Test
    void anOrderThatIsWithdrawnDoesNotTrade() {
        place(Side.SELL, 100, 5);

        assertThat(book.withdraw(1)).isTrue();
        assertThat(book.withdraw(1)).isFalse();
        assertThat(place(Side.BUY, 100, 5)).isEmpty();
        assertThat(book.depth(9).asks()).isEmpty();
    }

    /** Plays the rules with a list that is searched for the best order each time, and compares all trades. */
    @Test
    void aRandomRunIsThatOfAPlainListAndLosesNothing() {
        var random = new Random(22);
        var plain = new ArrayList<LimitOrder>();
        Map<Long, Integer> left = new HashMap<>();
        long placed = 0;
        long traded = 0;
        long withdrawn = 0;
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(4) == 0 && ids > 0) {
                long id = 1 + random.nextInt((int) ids);
                boolean waits = plain.removeIf(order -> order.id() == id);
                assertThat(book.withdraw(id)).isEqualTo(waits);
                withdrawn += waits ? left.get(id) : 0;
                continue;
            }
            var order = order(random.nextBoolean() ? Side.BUY : Side.SELL, 90 + random.nextInt(20),
                    1 + random.nextInt(30));
            placed += order.quantity();
            left.put(order.id(), order.quantity());
            var expected = match(plain, left, order);
            assertThat(book.place(order, 0)).isEqualTo(expected);
            traded += expected.stream().mapToLong(Trade::quantity).sum();
        }
        long waiting = plain.stream().mapToLong(order -> left.get(order.id())).sum();

        assertThat(2 * traded + withdrawn + waiting).isEqualTo(placed);
        assertThat(levels(plain, left, Side.BUY))
                .containsExactlyInAnyOrderElementsOf(book.depth(99).bids());
        assertThat(levels(plain, left, Side.SELL))
                .containsExactlyInAnyOrderElementsOf(book.depth(99).asks());
    }

    private static List<Trade> match(List<LimitOrder> plain, Map<Long, Integer> left, LimitOrder order) {
        var trades = new ArrayList<Trade>();
        while (left.get(order.id()) > 0) {
            LimitOrder best = null;
            for (var other : plain) { // the oldest first
                if (other.side() != order.side() && order.accepts(other.price())
                        && (best == null || (order.side() == Side.BUY ? other.price() < best.price()
                                : other.price() > best.price()))) {
                    best = other;
                }
            }
            if (best == null) {
                plain.add(order);
                break;
            }
            int quantity = Math.min(left.get(order.id()), left.get(best.id()));
            left.merge(order.id(), -quantity, Integer::sum);
            left.merge(best.id(), -quantity, Integer::sum);
            if (left.get(best.id()) == 0) {
                plain.remove(best);
            }
            trades.add(new Trade("TEA", best.price(), quantity, best.id(), order.id(), order.side(), 0));
        }
        return trades;
    }

    private static List<Level> levels(List<LimitOrder> plain, Map<Long, Integer> left, Side side) {
        var levels = new TreeMap<Integer, Long>();
        plain.stream().filter(order -> order.side() == side)
                .forEach(order -> levels.merge(order.price(), (long) left.get(order.id()), Long::sum));
        return levels.entrySet().stream().map(each -> new Level(each.getKey(), each.getValue())).toList();
    }
}
