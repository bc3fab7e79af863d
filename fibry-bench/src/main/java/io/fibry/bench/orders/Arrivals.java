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
 * Orders that come at a fixed rate, whether those before them were served or not.
 *
 * @param rate how many come in a second
 * @param window for how long they come
 * @param patience after how long one who ordered has gone
 */
public record Arrivals(double rate, Duration window, Duration patience) {
    private static final int ITEMS = 100;

    /**
     * What became of them.
     *
     * @param millis how long each of those took that were served, from when it was to come
     * @param inTime how many were served before who ordered had gone
     * @param refused how many were refused
     */
    public record Outcome(List<Double> millis, int inTime, int refused) {
        /** Copies the list. */
        public Outcome {
            millis = millis.stream().sorted().toList();
        }

        /**
         * How many were served, in time or not.
         *
         * @return the number
         */
        public int served() {
            return millis.size();
        }

        /**
         * How long they took.
         *
         * @param part of all that were served, as 0.5 for the median
         * @return that part of them took at most so long; 0 if none was served
         */
        public double millis(double part) {
            return millis.isEmpty() ? 0 : millis.get((int) Math.ceil(part * millis.size()) - 1);
        }
    }

    /**
     * Lets them come, and waits until none is under way any more.
     *
     * @param shop where they come to
     * @return what became of them
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
