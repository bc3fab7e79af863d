package io.fibry.builders;

import io.fibry.builders.Setting.Form;
import io.fibry.builders.Setting.Mailbox;
import io.fibry.builders.Setting.Place;
import io.fibry.testing.Strategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A row of the matrix: one way in which an actor can be made. */
record Combination(Strategy strategy, Form form, Place place, Mailbox mailbox, boolean state, boolean context,
        boolean start, Set<Setting> settings) {
    /** A time that does not pass in a test. */
    static final Duration LONG = Duration.ofDays(1);
    static final Duration IDLE = Duration.ofMinutes(1);
    /** After so many candidates without anything new there is nothing new. */
    private static final int PATIENCE = 40;
    private static final int CANDIDATES = 8;

    boolean has(Setting setting) {
        return settings.contains(setting);
    }

    /** Whether there is such an actor at all. */
    boolean exists() {
        var keyed = place == Place.KEYED;
        // A body on the caller's thread runs on the thread of its maker, which then cannot send to it.
        return !(keyed && form.receives)
                && !(form.receives && state) && !(form.isBody() && strategy == Strategy.CALLER);
    }

    /** What the exception may say with which the actor is refused; empty if it is made. */
    List<List<String>> refusals() {
        return settings.stream().map(setting -> setting.refusal(this)).filter(text -> !text.isEmpty())
                .toList();
    }

    private static Combination random(Strategy strategy, Random random) {
        var settings = EnumSet.noneOf(Setting.class);
        for (var setting : Setting.values()) {
            if (random.nextInt(3) == 0) {
                settings.add(setting);
            }
        }
        return new Combination(strategy, any(Form.values(), random), any(Place.values(), random),
                any(Mailbox.values(), random), random.nextBoolean(), random.nextBoolean(),
                random.nextBoolean(),
                settings);
    }

    private static <T> T any(T[] values, Random random) {
        return values[random.nextInt(values.length)];
    }

    /** What is in this row, as a number for each column. */
    private int[] values() {
        var values = new int[6 + Setting.values().length];
        values[0] = form.ordinal();
        values[1] = place.ordinal();
        values[2] = mailbox.ordinal();
        values[3] = state ? 1 : 0;
        values[4] = context ? 1 : 0;
        values[5] = start ? 1 : 0;
        for (var setting : Setting.values()) {
            values[6 + setting.ordinal()] = has(setting) ? 1 : 0;
        }
        return values;
    }

    /** The triples of values in this row, each as a number. */
    private List<Integer> triples() {
        var values = values();
        var triples = new ArrayList<Integer>();
        for (var i = 0; i < values.length; i++) {
            for (var j = i + 1; j < values.length; j++) {
                for (var k = j + 1; k < values.length; k++) {
                    var at = (i * 32 + j) * 32 + k;
                    triples.add(((at * 8 + values[i]) * 8 + values[j]) * 8 + values[k]);
                }
            }
        }
        return triples;
    }

    /**
     * The rows of a strategy: each three values that can be together in one actor are together in one of them. The rows
     * are the same in each run.
     */
    static List<Combination> rows(Strategy strategy, boolean refused) {
        var random = new Random(33);
        var rows = new ArrayList<Combination>();
        var seen = new HashSet<Integer>();
        var fruitless = 0;
        while (fruitless < PATIENCE) {
            Combination best = null;
            var most = 0;
            for (var i = 0; i < CANDIDATES; i++) {
                var candidate = random(strategy, random);
                if (candidate.exists() && candidate.refusals().isEmpty() != refused) {
                    var fresh = (int) candidate.triples().stream().filter(triple -> !seen.contains(triple))
                            .count();
                    if (fresh > most) {
                        best = candidate;
                        most = fresh;
                    }
                }
            }
            fruitless = best == null ? fruitless + 1 : 0;
            if (best != null) {
                seen.addAll(best.triples());
                rows.add(best);
            }
        }
        return rows;
    }
}
