package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.durable.DepositLoad;
import io.fibry.bench.durable.DurableAccounts;
import io.fibry.bench.durable.PostgresEngine;
import io.fibry.bench.durable.Restart;
import io.fibry.bench.durable.SqliteEngine;
import io.fibry.bench.durable.StoreEngine;
import io.fibry.bench.durable.StoreEngine.ByHand;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Measures deposits that are durable before they are answered: by durable actors, and with a transaction for each. */
final class DurableExperiment implements Experiment {
    private static final long ACCOUNTS = 10_000;
    private static final Duration SLOWER = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Unit SPEED = Unit.higher("deposits/s");
    private static final Unit WORST = Unit.lower("ms, 99 of 100");
    private static final Unit RESTART = Unit.lower("ms until answered");

    /** Makes an empty bank. */
    @FunctionalInterface
    private interface Opening {
        DurableAccounts open() throws Exception;
    }

    @Override
    public String name() {
        return "durable";
    }

    @Override
    public String what() {
        return "deposits into accounts that are on the disk before they are answered";
    }

    @Override
    public String checks() {
        return "the store has as many deposits as were acknowledged";
    }

    /** Returns no time: a quick run leaves out all lines. */
    @Override
    public Duration quickTime() {
        return Duration.ZERO;
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        if (settings.size() == Size.QUICK) {
            report.note("a quick run leaves this out: a disk needs longer");
            return;
        }
        try (var sqlite = SqliteEngine.start(Duration.ZERO)) {
            report.note(sqlite.name() + ", write-ahead log, synchronous=FULL");
            all(sqlite, settings, report);
        }
        try (var sqlite = SqliteEngine.start(SLOWER)) {
            slow(sqlite, 64, settings, report);
        }
        try (var postgres = PostgresEngine.start(Duration.ZERO)) {
            report.note(postgres.name()
                    + ", fsync=on, synchronous_commit=on; by hand, and Pekko's journal, with eight connections");
            all(postgres, settings, report);
        } catch (IOException none) {
            report.note("PostgreSQL cannot be started here: " + none);
            return;
        }
        try (var postgres = PostgresEngine.start(SLOWER)) {
            slow(postgres, 64, settings, report);
            slow(postgres, 1_000, settings, report);
        } catch (IOException none) {
            report.note("PostgreSQL cannot be started here: " + none);
        }
    }

    /** A commit that sleeps before it commits stands for a disk whose flush takes longer. */
    private static void slow(StoreEngine engine, int callers, Settings settings, Report report)
            throws Exception {
        compare(engine, engine.name() + ", each commit 1 ms slower, " + inFlight(callers), callers, ACCOUNTS,
                true, settings, report);
    }

    private static void all(StoreEngine engine, Settings settings, Report report) throws Exception {
        // One caller would spend its time on the first messages of accounts, whose states are read.
        compare(engine, engine.name() + ", " + inFlight(1) + " to 100 accounts", 1, 100, false,
                settings, report);
        for (int callers : List.of(64, 1_000)) {
            compare(engine, engine.name() + ", " + inFlight(callers), callers, ACCOUNTS, false,
                    settings, report);
        }
        compare(engine, engine.name() + ", " + inFlight(64) + " to one account", 64, 1, false, settings,
                report);
        project(engine, settings, report);
        restart(engine, settings, report);
    }

    /** A projection gets the turns while they are written, and the last ones soon after that. */
    private static void project(StoreEngine engine, Settings settings, Report report) throws Exception {
        var group = engine.name() + ", " + inFlight(64) + ", projection";
        var load = new DepositLoad(64, ACCOUNTS, Duration.ofSeconds(1),
                settings.pick(Duration.ofSeconds(2), Duration.ZERO, Duration.ofMillis(200)));
        var behind = new Samples();
        var line = Line.of(group, "handed over while they are written", (now, samples) -> {
            var turns = new LongAdder();
            try (var bank = engine.projected(turns)) {
                long begin = System.nanoTime();
                long acknowledged = load.at(bank).acknowledged();
                long end = System.nanoTime();
                samples.add(turns.sum() / ((end - begin) / 1e9));
                while (turns.sum() < acknowledged) {
                    if (System.nanoTime() - end > LONGEST.toNanos()) {
                        throw new AssertionError("%,d turns are written, and the projection has %,d"
                                .formatted(acknowledged, turns.sum()));
                    }
                    Thread.sleep(1);
                }
                behind.add((System.nanoTime() - end) / 1e6);
            }
        });
        new Turns(Unit.higher("turns/s"), 0, settings.pick(3, 0, 1)).run(List.of(line), settings, report);
        report.add(new Row(group, "the last one is handed over", Unit.lower("ms later"), behind));
    }

    /** An actor reads its state when it gets its first message, so a restart takes as long as what is asked then. */
    private static void restart(StoreEngine engine, Settings settings, Report report) throws Exception {
        var restart = Restart.of(engine, settings.pick(100_000, 0, 100), settings.pick(10, 0, 2));
        var group = engine.name() + ", restart with %,d accounts".formatted(restart.accounts());
        for (int asked : List.of(1, restart.accounts())) {
            var peer = asked == 1 ? "one is asked" : "all are asked at once";
            var line = Line.of(group, peer,
                    (now, samples) -> samples.add(restart.millisUntilAnswered(asked)));
            new Turns(RESTART, settings.pick(1, 0, 0), settings.pick(3, 0, 1)).run(
                    List.of(asked == 1 ? line : line.mustBe("<= 6,000")), settings, report);
        }
    }

    private static String inFlight(int callers) {
        return callers + " in flight";
    }

    private static void compare(StoreEngine engine, String group, int callers, long accounts,
            boolean slower, Settings settings, Report report) throws Exception {
        var load = new DepositLoad(callers, accounts,
                settings.pick(Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO),
                settings.pick(Duration.ofSeconds(2), Duration.ZERO, Duration.ofMillis(200)));
        var worst = new HashMap<String, Samples>();
        var ours = line(group, "Fibry, durable actors", () -> engine.actors(false), load, worst);
        var byHand = line(group, "by hand, a transaction each",
                () -> engine.byHand(engine.connections(), ByHand.TRANSACTION), load, worst);
        var byStatement = line(group, "by hand, a statement each",
                () -> engine.byHand(engine.connections(), ByHand.STATEMENT), load, worst);
        var lines = new ArrayList<Line>(List.of(ours, byHand));
        if (!slower) {
            lines.add(byStatement);
        }
        if (engine instanceof PostgresEngine postgres && !slower) {
            lines.add(line(group, "Pekko Persistence JDBC", postgres::pekko, load, worst).fullOnly());
        }
        if (engine.connections() > 1 && slower) {
            lines.add(line(group, "by hand, one connection", () -> engine.byHand(1, ByHand.TRANSACTION), load,
                    worst));
        }
        var inOrder = line(group, "by hand, with the balance",
                () -> engine.byHand(engine.connections(), ByHand.WITH_BALANCE), load, worst);
        if (accounts == 1) {
            lines.add(inOrder);
            lines.add(line(group, "Fibry, pipelined", () -> engine.actors(true), load, worst));
        }
        int rounds = settings.pick(3, 0, 1);
        var rows = new Turns(SPEED, settings.pick(1, 0, 0), rounds).run(lines, settings, report);
        Turns.ratio(rows, ours, byHand, "", report);
        if (!slower) {
            Turns.ratio(rows, ours, byStatement, "", report);
        }
        if (accounts == 1) {
            Turns.ratio(rows, ours, inOrder, "", report);
        }
        for (var line : rows.keySet()) {
            // The warm-up rounds come first.
            var all = worst.getOrDefault(line.peer(), new Samples()).values();
            var counted = Samples.of(all.subList(Math.max(0, all.size() - rounds), all.size()).stream()
                    .mapToDouble(Double::doubleValue).toArray());
            report.add(new Row(group, line.peer(), WORST, counted));
        }
    }

    private static Line line(String group, String peer, Opening opening, DepositLoad load,
            Map<String, Samples> worst) {
        var times = worst.computeIfAbsent(peer, name -> new Samples());
        return Line.of(group, peer, (settings, samples) -> {
            try (var bank = opening.open()) {
                var outcome = load.at(bank);
                samples.add(outcome.perSecond());
                times.add(outcome.worstMillis());
                long stored = bank.deposits();
                if (stored != outcome.acknowledged()) {
                    throw new AssertionError("%s: %,d deposits were acknowledged, and %,d are in the store"
                            .formatted(peer, outcome.acknowledged(), stored));
                }
            }
        });
    }
}
