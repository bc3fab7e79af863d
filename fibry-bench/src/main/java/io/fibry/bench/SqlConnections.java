package io.fibry.bench;

import io.fibry.bench.orders.Arrivals;
import io.fibry.bench.orders.MeasuredShop;
import io.fibry.bench.orders.SlowDatabase;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/** Measures orders that all come at once to shops with one connection and with eight: how well they are used. */
final class SqlConnections implements Experiment {
    private static final int THREADS = 200;
    private static final Duration PATIENCE = Duration.ofDays(1);

    /** Opens a shop that refuses none of the orders. */
    @FunctionalInterface
    private interface Opening {
        MeasuredShop open(SlowDatabase database, int connections, int orders) throws SQLException;
    }

    @Override
    public String name() {
        return "sql-connections";
    }

    @Override
    public String what() {
        return "orders that make three calls of a database, all at once, through 1 and 8 connections";
    }

    @Override
    public String checks() {
        return "each order is served, and the database has as many rows as orders were served";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var work = settings.pick(Duration.ofMillis(10), Duration.ofMillis(5), Duration.ofMillis(1));
        int each = settings.count(100, 20, 4);
        try (var database = SlowDatabase.start(work)) {
            database.remark().ifPresent(report::note);
            report.note(database.name() + ", started for this");
            var lines = new ArrayList<Line>();
            for (int connections : List.of(1, 8)) {
                var group = "%d %s, at most %,.0f orders/s".formatted(connections,
                        connections == 1 ? "connection" : "connections",
                        connections * 1e9 / MeasuredShop.CALLS / work.toNanos());
                lines.add(line(group, "Fibry, an actor for each connection", database, connections, each,
                        MeasuredShop::shedding));
                lines.add(line(group, "pool of %d threads".formatted(THREADS), database, connections, each,
                        (where, many, orders) -> MeasuredShop.waiting(where, many,
                                Executors.newFixedThreadPool(THREADS), PATIENCE)));
                lines.add(line(group, "virtual threads", database, connections, each,
                        (where, many, orders) -> MeasuredShop.waiting(where, many,
                                Executors.newVirtualThreadPerTaskExecutor(), PATIENCE)));
            }
            new Turns(Unit.higher("orders/s"), settings.pick(1, 0, 0), settings.pick(5, 1, 1)).run(lines,
                    settings, report);
        }
    }

    private static Line line(String group, String peer, SlowDatabase database, int connections, int each,
            Opening opening) {
        int orders = each * connections;
        var atOnce = new Arrivals(1e6, Duration.ofNanos(1_000L * orders), PATIENCE);
        return Line.of(group, peer, (settings, samples) -> {
            int before = database.booked();
            try (var shop = opening.open(database, connections, orders)) {
                var start = System.nanoTime();
                int served = atOnce.at(shop).served();
                samples.add(orders / ((System.nanoTime() - start) / 1e9));
                int booked = database.booked() - before;
                if (served != orders || booked != orders) {
                    throw new AssertionError(
                            "%s: of %,d orders %,d were served and %,d booked".formatted(peer,
                                    orders, served, booked));
                }
            }
        });
    }
}
