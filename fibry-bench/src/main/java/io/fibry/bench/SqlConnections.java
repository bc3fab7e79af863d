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

/**
 * Measures orders that all come at once to shops with one connection and with eight, in programs with one processor and with eight: how well the
 * connections are used.
 */
final class SqlConnections implements Experiment {
    private static final int THREADS = 200;
    private static final int MOST = 8;
    private static final Duration PATIENCE = Duration.ofDays(1);

    /** Shops that refuse none of the orders. */
    private enum Shop {
        ACTORS("Fibry, an actor for each connection") {
            @Override
            MeasuredShop open(SlowDatabase database, int connections, int orders) throws SQLException {
                return MeasuredShop.shedding(database, connections, orders);
            }
        },
        POOL("pool of %d threads".formatted(THREADS)) {
            @Override
            MeasuredShop open(SlowDatabase database, int connections, int orders) throws SQLException {
                return MeasuredShop.waiting(database, connections, Executors.newFixedThreadPool(THREADS),
                        PATIENCE);
            }
        },
        VIRTUAL("virtual threads") {
            @Override
            MeasuredShop open(SlowDatabase database, int connections, int orders) throws SQLException {
                return MeasuredShop.waiting(database, connections,
                        Executors.newVirtualThreadPerTaskExecutor(),
                        PATIENCE);
            }
        };

        private final String peer;

        Shop(String peer) {
            this.peer = peer;
        }

        abstract MeasuredShop open(SlowDatabase database, int connections, int orders) throws SQLException;
    }

    @Override
    public String name() {
        return "sql-connections";
    }

    @Override
    public String what() {
        return "orders that make three calls of a database, all at once, through 1 and 8 connections, on 1 and 8 processors";
    }

    @Override
    public String checks() {
        return "each order is served, and the database has as many rows as orders were served";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var work = settings.pick(Duration.ofMillis(10), Duration.ofMillis(5), Duration.ofMillis(1));
        int each = settings.count(100, 20, 4);
        int here = Runtime.getRuntime().availableProcessors();
        if (here < MOST) {
            report.note(
                    "this machine has %d processors: with %d, a program has more threads, but no more of them"
                            .formatted(here, MOST));
        }
        var lines = new ArrayList<Line>();
        var numbers = settings.pick(List.of(1, MOST), List.of(1, MOST), List.of(1));
        for (int processors : numbers) {
            for (int connections : numbers) {
                var group = "%s, %s, at most %,.0f orders/s".formatted(number(processors, "processor"),
                        number(connections, "connection"),
                        connections * 1e9 / MeasuredShop.CALLS / work.toNanos());
                for (var shop : Shop.values()) {
                    lines.add(line(group, shop, processors, connections, each * connections, work, report));
                }
            }
        }
        new Turns(Unit.higher("orders/s"), 0, settings.timesEach()).run(lines, settings, report);
    }

    private static String number(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    private static Line line(String group, Shop shop, int processors, int connections, int orders,
            Duration work,
            Report report) {
        return Line.of(group, shop.peer, (settings, samples) -> {
            var found = ChildJvm.run(List.of("-XX:ActiveProcessorCount=" + processors, "-Xmx512m"),
                    SqlConnections.class,
                    List.of(shop.name(), "" + connections, "" + orders, "" + work.toMillis(),
                            "" + settings.pick(2, 1, 1)),
                    report::progress);
            if (found.get("processors") != processors) {
                throw new AssertionError(
                        "the program had %.0f processors, not %d".formatted(found.get("processors"),
                                processors));
            }
            samples.add(found.get("speed"));
        });
    }

    /**
     * Runs in the child, with a database of its own.
     *
     * @param args the shop, the number of connections, the number of orders, how many ms a call of the database takes, and how often all
     *     orders come: the last time counts
     * @throws Exception any exception
     */
    public static void main(String[] args) throws Exception {
        var how = Shop.valueOf(args[0]);
        int connections = Integer.parseInt(args[1]);
        int orders = Integer.parseInt(args[2]);
        try (var database = SlowDatabase.start(Duration.ofMillis(Long.parseLong(args[3])))) {
            database.remark().ifPresent(System.out::println);
            System.out.println(database.name() + ", started for this");
            var speed = 0.0;
            for (int i = 0; i < Integer.parseInt(args[4]); i++) {
                speed = speed(how, database, connections, orders);
            }
            ChildJvm.result("speed", speed);
            ChildJvm.result("processors", Runtime.getRuntime().availableProcessors());
        }
        System.exit(0); // as a driver may keep threads
    }

    private static double speed(Shop how, SlowDatabase database, int connections, int orders)
            throws Exception {
        var atOnce = new Arrivals(1e6, Duration.ofNanos(1_000L * orders), PATIENCE);
        int before = database.booked();
        try (var shop = how.open(database, connections, orders)) {
            var start = System.nanoTime();
            int served = atOnce.at(shop).served();
            var took = System.nanoTime() - start;
            int booked = database.booked() - before;
            if (served != orders || booked != orders) {
                throw new AssertionError(
                        "%s: of %,d orders %,d were served and %,d booked".formatted(how.peer, orders,
                                served, booked));
            }
            return orders / (took / 1e9);
        }
    }
}
