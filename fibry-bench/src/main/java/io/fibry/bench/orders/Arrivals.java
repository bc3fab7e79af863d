package io.fibry.bench.orders;

import io.fibry.bench.orders.MeasuredShop.BusyException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Orders that come at a fixed rate, whether earlier orders were served or not.
 *
 * @param rate how many orders come in a second
 * @param window for how long orders come
 * @param patience how long a customer waits
 */
public record Arrivals(double rate, Duration window, Duration patience) {
    private static final int ITEMS = 100;

    /**
     * What became of the orders.
     *
     * @param millis how long each order that was served took, from the moment when it was due
     * @param inTime how many orders were served before their customers had left
     * @param refused how many orders were refused
     */
    public record Outcome(List<Double> millis, int inTime, int refused) {
        /** Copies the list. */
        public Outcome {
            millis = millis.stream().sorted().toList();
        }

        /**
         * Returns how many orders were served, in time or not.
         *
         * @return the number
         */
        public int served() {
            return millis.size();
        }

        /**
         * Returns how long a part of the orders took.
         *
         * @param part the part of the orders that were served, for example 0.5 for the median
         * @return the longest time of an order of that part; 0 if none was served
         */
        public double millis(double part) {
            return millis.isEmpty() ? 0 : millis.get((int) Math.ceil(part * millis.size()) - 1);
        }
    }

    /**
     * Lets the orders come, and waits until all of them have ended.
     *
     * @param shop the shop that gets the orders
     * @return what became of the orders
     * @throws InterruptedException if the caller is interrupted
     * @throws ExecutionException if an order failed for another reason than that the shop was busy
     */
    public Outcome at(MeasuredShop shop) throws InterruptedException, ExecutionException {
        int offered = (int) (rate * window.toNanos() / 1e9);
        var orders = new ArrayList<Future<Double>>();
        try (var customers = Executors.newVirtualThreadPerTaskExecutor()) {
            var start = System.nanoTime();
            for (int i = 0; i < offered; i++) {
                int item = i % ITEMS;
                var due = start + (long) (i * 1e9 / rate);
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                orders.add(customers.submit(() -> {
                    shop.handle(item);
                    return (System.nanoTime() - due) / 1e6;
                }));
            }
        }
        return outcome(orders);
    }

    private Outcome outcome(List<Future<Double>> orders) throws InterruptedException, ExecutionException {
        var millis = new ArrayList<Double>();
        int refused = 0;
        for (var order : orders) {
            try {
                millis.add(order.get());
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof BusyException)) {
                    throw e;
                }
                refused++;
            }
        }
        return new Outcome(millis, (int) millis.stream().filter(took -> took <= patience.toMillis()).count(),
                refused);
    }
}
