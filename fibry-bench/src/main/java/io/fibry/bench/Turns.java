package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Figures;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures lines in turns. Each round has each line once, and the first line changes, so that a disturbance of the
 * machine affects all of them. The values of all rounds are pooled.
 *
 * @param unit what the values are in
 * @param warmUps rounds before those that count
 * @param rounds how many rounds count; fewer if a quick run has no time left, but at least one
 */
record Turns(Unit unit, int warmUps, int rounds) {
    /** Measures all lines and adds their rows. Returns the rows by line, without those that could not be measured. */
    Map<Line, Row> run(List<Line> all, Settings settings, Report report) throws Exception {
        var lines = here(all, settings, report);
        var samples = lines.stream().map(line -> new Samples()).toList();
        for (int round = -warmUps; round < rounds; round++) {
            for (int turn = 0; turn < lines.size(); turn++) {
                var who = Math.floorMod(round + turn, lines.size());
                if (round != 0 && settings.timeLeft().isZero()) {
                    break; // but no comparison lacks a peer
                }
                var values = new Samples();
                lines.get(who).measured().measure(settings.forOneOf(lines.size() - turn), values);
                if (round >= 0) {
                    samples.get(who).addAll(values);
                }
                progress(round, turn, lines.size(), lines.get(who), values, report);
            }
        }
        return rows(lines, samples, report);
    }

    /** Adds the ratio of our values to those of another line, round by round, if both were measured. */
    static void ratio(Map<Line, Row> rows, Line ours, Line other, String mustBe, Report report) {
        var our = rows.get(ours);
        var their = rows.get(other);
        if (our != null && their != null) {
            report.add(new Row(ours.group(), ours.peer() + " / " + other.peer(),
                    new Unit("ratio", our.unit().better()), our.samples().dividedBy(their.samples()))
                    .withMustBe(mustBe));
        }
    }

    /** Adds the ratio of our values to those of another peer in the same case, if both were measured. */
    static void ratio(Map<Line, Row> rows, String group, String our, String other, String mustBe,
            Report report) {
        var lines = rows.keySet().stream().filter(line -> line.group().equals(group)).toList();
        for (var mine : lines.stream().filter(line -> line.peer().equals(our)).toList()) {
            for (var theirs : lines.stream().filter(line -> line.peer().equals(other)).toList()) {
                ratio(rows, mine, theirs, mustBe, report);
            }
        }
    }

    private static List<Line> here(List<Line> all, Settings settings, Report report) {
        var wanted = all.stream().filter(line -> line.sizes().contains(settings.size())).toList();
        if (wanted.size() < all.size() && settings.size() == Size.QUICK) {
            report.note("a quick run leaves out %d of %d lines".formatted(all.size() - wanted.size(),
                    all.size()));
        }
        wanted.stream().flatMap(line -> line.measured().missing().stream()).distinct().forEach(report::note);
        var here = wanted.stream().filter(line -> line.measured().missing().isEmpty()).toList();
        here.stream().flatMap(line -> line.measured().about().stream()).distinct().forEach(report::note);
        return here;
    }

    private void progress(int round, int turn, int of, Line line, Samples values, Report report) {
        report.progress("%s, %d of %d: %s: %s %s".formatted(
                round < 0 ? "warm-up" : "round " + (round + 1) + " of " + rounds, turn + 1, of,
                line.subject(),
                values.isEmpty() ? "-" : Figures.number(values.median()), unit.name()));
    }

    private Map<Line, Row> rows(List<Line> lines, List<Samples> samples, Report report) {
        var rows = new LinkedHashMap<Line, Row>();
        IntStream.range(0, lines.size()).filter(i -> !samples.get(i).isEmpty())
                .forEach(i -> rows.put(lines.get(i), lines.get(i).row(unit, samples.get(i))));
        rows.values().forEach(report::add);
        var missing = lines.stream().filter(line -> !rows.containsKey(line)).map(Line::subject)
                .collect(Collectors.joining("; "));
        if (!missing.isEmpty()) {
            report.note("no time was left for: " + missing);
        }
        return rows;
    }
}
