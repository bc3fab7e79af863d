package io.fibry.bench;

import io.fibry.bench.bank.AskingBank;
import io.fibry.bench.bank.Clients;
import io.fibry.bench.bank.Clients.Done;
import io.fibry.bench.bank.HeldBank;
import io.fibry.bench.bank.LockedBank;
import io.fibry.bench.bank.MeasuredBank;
import io.fibry.bench.bank.OwnThreads;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** Measures transfers between two accounts: held actors, ordered locks, and asks inside asks. */
final class Transfers implements Experiment {
    /** Asks inside asks get a fraction of the transfers, since cycles are slow to find. */
    private static final int ASKS_FEWER = 4;

    /** A number of accounts, of clients that each have a transfer in flight, and of transfers of each client. */
    private record Case(int accounts, int inFlight, int each) {
        String group() {
            return "%,d accounts, %,d in flight".formatted(accounts, inFlight);
        }

        /** Returns a line of a bank that refuses nothing; adds what a transfer has cost in each measurement. */
        Line line(String peer, MeasuredBank.Opening opening, Map<String, List<Cost>> costs) {
            return Line.of(group(), peer, (settings, samples) -> {
                var before = Cost.untilNow();
                var done = use(opening, each);
                costs.computeIfAbsent(group() + ", " + peer, any -> new ArrayList<>())
                        .add(before.forEachOf(done.made()));
                if (done.refused() > 0) {
                    throw new AssertionError(
                            "%s: %,d transfers were refused".formatted(peer, done.refused()));
                }
                samples.add(done.made() / done.seconds() / 1e3);
            }).notQuick();
        }

        /** Returns a line that also tells what was done in each measurement. */
        Line askingLine(Consumer<Done> all) {
            return Line.of(group(), "Fibry, an ask inside an ask", (settings, samples) -> {
                var done = use(AskingBank::new, Math.max(1, each / ASKS_FEWER));
                samples.add(done.made() / done.seconds() / 1e3);
                all.accept(done);
            }).notQuick();
        }

        private Done use(MeasuredBank.Opening opening, int times)
                throws ExecutionException, InterruptedException {
            try (var bank = opening.open(accounts)) {
                return new Clients(inFlight, times).use(bank, accounts);
            }
        }
    }

    @Override
    public String name() {
        return "transfers";
    }

    @Override
    public String what() {
        return "transfers between two random accounts, of 10,000 and of 100; 8, 1,000 and 10,000 in flight";
    }

    @Override
    public String checks() {
        return "no money and no transfer is lost; nothing is refused, except asks that would close a cycle";
    }

    /** Returns no time: a quick run leaves out all lines. */
    @Override
    public Duration quickTime() {
        return Duration.ZERO;
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int transfers = settings.count(200_000, 200_000, 1_000);
        var clients = List.of(8, 1_000, 10_000);
        var lines = new ArrayList<Line>();
        var ratios = new LinkedHashMap<Line, List<Line>>();
        var asked = new LinkedHashMap<Case, List<Done>>();
        var costs = new LinkedHashMap<String, List<Cost>>();
        for (int accounts : List.of(settings.pick(10_000, 10_000, 500), 100)) {
            for (int inFlight : settings.pick(clients, clients, List.of(8))) {
                var which = new Case(accounts, inFlight, Math.max(1, transfers / inFlight));
                var held = which.line("Fibry, Holding", HeldBank::new, costs);
                var locked = which.line("virtual threads + ordered ReentrantLocks", LockedBank::new, costs);
                var handed = which.line("a virtual thread for each transfer + ordered ReentrantLocks",
                        many -> new OwnThreads(new LockedBank(many)), costs);
                var done = new ArrayList<Done>();
                asked.put(which, done);
                lines.addAll(List.of(held, locked, handed, which.askingLine(done::add)));
                ratios.put(held, List.of(locked, handed));
            }
        }
        var rows = new Turns(Unit.higher("k transfers/s"), settings.pick(1, 0, 0), settings.pick(3, 1, 1))
                .run(lines, settings, report);
        // A virtual thread for each transfer is what the budget is about.
        ratios.forEach((held, others) -> others.forEach(other -> Turns.ratio(rows, held, other,
                other == others.getLast() ? ">= 0.5" : "", report)));
        costs.forEach((subject, all) -> Cost.note(subject, all, "transfer", report));
        asked.forEach((which, all) -> noteCycles(which, all, report));
    }

    private static void noteCycles(Case which, List<Done> all, Report report) {
        var made = all.stream().mapToLong(Done::made).sum();
        var refused = all.stream().mapToLong(Done::refused).sum();
        if (made + refused > 0) {
            report.note("%s: %.2f %% of the asks inside asks failed with AskCycleException"
                    .formatted(which.group(), 100.0 * refused / (made + refused)));
        }
    }
}
