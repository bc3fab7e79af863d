package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.durable.DepositLoad;
import io.fibry.bench.durable.DurableAccounts;
import io.fibry.bench.durable.PostgresEngine;
import io.fibry.bench.durable.SqliteEngine;
import io.fibry.bench.durable.StoreEngine;
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

/** Measures deposits that are durable before they are answered: by durable actors, and with a transaction for each. */
final class DurableExperiment implements Experiment {
    private static final long ACCOUNTS = 10_000;
    private static final Unit SPEED = Unit.higher("deposits/s");
    private static final Unit WORST = Unit.lower("ms, 99 of 100");

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
        try (var sqlite = SqliteEngine.start(Duration.ofMillis(1))) {
            compare(sqlite, sqlite.name() + ", each commit 1 ms slower, " + inFlight(64), 64, ACCOUNTS,
                    settings,
                    report);
        }
        try (var postgres = PostgresEngine.start()) {
            report.note(
                    postgres.name() + ", fsync=on, synchronous_commit=on; by hand with eight connections");
            all(postgres, settings, report);
        } catch (IOException none) {
            report.note("PostgreSQL cannot be started here: " + none);
        }
    }

    private static void all(StoreEngine engine, Settings settings, Report report) throws Exception {
        // One caller would spend its time on the first messages of accounts, whose states are read.
        compare(engine, engine.name() + ", " + inFlight(1) + " to 100 accounts", 1, 100, settings, report);
        for (int callers : List.of(64, 1_000)) {
            compare(engine, engine.name() + ", " + inFlight(callers), callers, ACCOUNTS, settings, report);
        }
        compare(engine, engine.name() + ", " + inFlight(64) + " to one account", 64, 1, settings, report);
    }

    private static String inFlight(int callers) {
        return callers + " in flight";
    }

    private static void compare(StoreEngine engine, String group, int callers, long accounts,
            Settings settings,
            Report report) throws Exception {
        var load = new DepositLoad(callers, accounts,
                settings.pick(Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO),
                settings.pick(Duration.ofSeconds(2), Duration.ZERO, Duration.ofMillis(200)));
        var worst = new HashMap<Line, Samples>();
        var ours = line(group, "Fibry, durable actors", () -> engine.actors(false), load, worst);
        var byHand = line(group, "by hand, a transaction each", engine::byHand, load, worst);
        var lines = new ArrayList<Line>(List.of(ours, byHand));
        if (accounts == 1) {
            lines.add(line(group, "Fibry, pipelined", () -> engine.actors(true), load, worst));
        }
        int rounds = settings.pick(3, 0, 1);
        var rows = new Turns(SPEED, settings.pick(1, 0, 0), rounds).run(lines, settings, report);
        Turns.ratio(rows, ours, byHand, "", report);
        for (var line : lines) {
            // The warm-up rounds come first.
            var all = worst.get(line).values();
            var counted = Samples.of(all.subList(Math.max(0, all.size() - rounds), all.size()).stream()
                    .mapToDouble(Double::doubleValue).toArray());
            report.add(new Row(group, line.peer(), WORST, counted));
        }
    }

    private static Line line(String group, String peer, Opening opening, DepositLoad load,
            Map<Line, Samples> worst) {
        var times = new Samples();
        var line = Line.of(group, peer, (settings, samples) -> {
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
        worst.put(line, times);
        return line;
    }
}
