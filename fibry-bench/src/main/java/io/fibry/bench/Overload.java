package io.fibry.bench;

import io.fibry.bench.orders.Arrivals;
import io.fibry.bench.orders.Arrivals.Outcome;
import io.fibry.bench.orders.MeasuredShop;
import io.fibry.bench.orders.SlowDatabase;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/** Measures shops that get more requests than their database can serve: shops that wait, and one that refuses. */
final class Overload implements Experiment {
    /** Starts a database whose calls take the given time. */
    @FunctionalInterface
    interface Starting {
        SlowDatabase start(Duration work) throws IOException, SQLException;
    }

    private static final int CONNECTIONS = 4;
    private static final int THREADS = 200;
    private static final int PLACES = 8;
    /** The load at which the threads of the article failed and its coroutines did not: 66 a second, of 50. */
    private static final double ARTICLE_LOAD = 1.3;
    private static final double KNEE = 1;
    private static final double MOST = 3;

    /** A shop, how it is opened, and its latency in the article. */
    private record Who(String peer, double article, String says, Opening opening) {
    }

    private final Starting starting;

    Overload() {
        this(SlowDatabase::start);
    }

    Overload(Starting starting) {
        this.starting = starting;
    }

    private interface Opening {
        MeasuredShop open(SlowDatabase database, Duration patience) throws SQLException;
    }

    private static final List<Who> ALL = List.of(
            new Who("Fibry, actors that shed", 730, "730 ms at 54 a second, of 50",
                    (database, patience) -> MeasuredShop.shedding(database, CONNECTIONS, PLACES)),
            new Who("pool of %d threads".formatted(THREADS), 11_000, "11 s at 66 a second, of 50; then none",
                    (database, patience) -> MeasuredShop.waiting(database, CONNECTIONS,
                            Executors.newFixedThreadPool(THREADS),
                            patience)),
            new Who("virtual threads without a bound", 0, "",
                    (database, patience) -> MeasuredShop.waiting(database, CONNECTIONS,
                            Executors.newVirtualThreadPerTaskExecutor(), Duration.ofDays(1))));

    /** The results for one load and one shop. */
    private record Found(Samples inTime, Samples median, Samples slow) {
        Found() {
            this(new Samples(), new Samples(), new Samples());
        }

        /**
         * Adds an outcome. A chart cannot show zero, so a small number replaces the result that no order was in time.
         */
        void add(Outcome outcome, Duration window) {
            inTime.add(Math.max(0.01, outcome.inTime() / (window.toMillis() / 1e3)));
            if (outcome.served() > 0) {
                median.add(outcome.millis(0.5));
                slow.add(outcome.millis(0.99));
            }
        }
    }

    @Override
    public String name() {
        return "overload";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(10);
    }

    @Override
    public String what() {
        return "orders that make three calls of a database through four connections, up to 3 times too many";
    }

    @Override
    public String checks() {
        return "each order is served or refused; the database has as many rows as orders were served";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var work = settings.pick(Duration.ofMillis(10), Duration.ofMillis(5), Duration.ofMillis(1));
        var window = Duration.ofMillis(settings.pick(8_000, 500, 50));
        var patience = Duration.ofMillis(settings.pick(1_000, 250, 250));
        double capacity = CONNECTIONS / (MeasuredShop.CALLS * work.toNanos() / 1e9);
        var loads = settings.pick(List.of(0.5, 0.8, KNEE, ARTICLE_LOAD, 2.0, MOST),
                List.of(KNEE, MOST), List.of(KNEE, MOST));
        var all = new HashMap<Double, Map<Who, Found>>();
        try (var database = starting.start(work)) {
            database.remark().ifPresent(report::note);
            report.note("%s, started for this; it can serve %,.0f orders a second, a customer waits %,d ms"
                    .formatted(database.name(), capacity, patience.toMillis()));
            report.progress("a warm-up, which does not count");
            found(new Arrivals(capacity / 2, window.dividedBy(4), patience), 1, database, report);
            for (double load : loads) {
                var arrivals = new Arrivals(load * capacity, window, patience);
                var found = found(arrivals, settings.pick(3, 1, 1), database, report);
                rows(load, arrivals, found, report);
                all.put(load, found);
            }
        }
        flatness(all, report);
    }

    private static Map<Who, Found> found(Arrivals arrivals, int rounds, SlowDatabase database, Report report)
            throws SQLException, InterruptedException, ExecutionException {
        var found = new LinkedHashMap<Who, Found>();
        ALL.forEach(who -> found.put(who, new Found()));
        for (int round = 0; round < rounds; round++) {
            for (var who : ALL) {
                found.get(who).add(outcome(who, database, arrivals, report), arrivals.window());
            }
        }
        return found;
    }

    private static Outcome outcome(Who who, SlowDatabase database, Arrivals arrivals, Report report)
            throws SQLException, InterruptedException, ExecutionException {
        int before = database.booked();
        try (var shop = who.opening.open(database, arrivals.patience())) {
            var outcome = arrivals.at(shop);
            report.progress("%s, %,.0f a second: %d in time, %d late, %d refused".formatted(who.peer,
                    arrivals.rate(), outcome.inTime(), outcome.served() - outcome.inTime(),
                    outcome.refused()));
            int booked = database.booked() - before;
            if (booked != outcome.served()) {
                throw new AssertionError("%s: %d orders were served, but %d were booked".formatted(who.peer,
                        outcome.served(), booked));
            }
            return outcome;
        }
    }

    private static void rows(double load, Arrivals arrivals, Map<Who, Found> all, Report report) {
        var group = "%.1f × what it can, %,.0f orders/s".formatted(load, arrivals.rate());
        all.forEach((who, found) -> report.add(
                new Row(group, who.peer, Unit.higher("orders/s in time"), found.inTime)));
        all.forEach((who, found) -> {
            if (!found.median.isEmpty()) {
                report.add(new Row(group + ", median", who.peer, Unit.lower("ms"), found.median));
                var slow = new Row(group + ", 99 of 100", who.peer, Unit.lower("ms"), found.slow);
                report.add(load == ARTICLE_LOAD ? slow.withArticle(who.article, who.says) : slow);
            }
        });
    }

    /** Compares the orders served under three times too much load with those served under just enough load. */
    private static void flatness(Map<Double, Map<Who, Found>> all, Report report) {
        for (var who : ALL) {
            var ratio = all.get(MOST).get(who).inTime.dividedBy(all.get(KNEE).get(who).inTime);
            report.add(new Row("%.1f × against %.1f ×".formatted(MOST, KNEE), who.peer, Unit.higher("ratio"),
                    ratio).withMustBe(who == ALL.getFirst() ? ">= 0.9" : ""));
        }
    }
}
