package io.fibry.bench;

import io.fibry.bench.report.Samples;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Stream;

/**
 * The same in another language. The program counts what it has done and fails if something is missing.
 *
 * @param language which
 * @param experiment what to do
 * @param which a number that the experiment takes: how many are in the ring, how many send
 * @param count how many operations
 * @param fromNanos turns the nanoseconds of all of them into the unit of the experiment
 */
record Twin(Language language, String experiment, int which, int count, DoubleUnaryOperator fromNanos)
        implements
            Measured {
    /** Lines for all languages. Quick runs have no time to compile them. */
    static List<Line> each(String group, Count count, String experiment, int which) {
        return Stream.of(Language.values()).map(language -> Line.of(group, language.peer,
                new Twin(language, experiment, which, count.count, count.fromNanos())).fullOnly()).toList();
    }

    /** How many operations, and what is wanted of the time they take. */
    record Count(int count, DoubleUnaryOperator fromNanos) {
        static Count nanosEach(int count) {
            return new Count(count, nanos -> nanos / count);
        }

        static Count millionsInASecond(int count) {
            return new Count(count, nanos -> count * 1e3 / nanos);
        }

        static Count millisOfAll(int count) {
            return new Count(count, nanos -> nanos / 1e6);
        }
    }

    @Override
    public Optional<String> missing() {
        return language.isInstalled() ? Optional.empty() : Optional.of(language.howToGetIt());
    }

    @Override
    public Optional<String> about() {
        try {
            return Optional.of(String.join(" ", Language.output(language.version())));
        } catch (IOException e) {
            return Optional.of(language.peer + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    @Override
    public void measure(Settings settings, Samples samples) throws IOException, InterruptedException {
        int rounds = settings.pick(5, 2, 1);
        var printed = language.run(settings.logs(),
                List.of(experiment, "" + which, "" + count, "" + rounds));
        for (var line : printed) {
            if (!line.matches("[0-9]+")) {
                throw new IOException(language.peer + ", " + experiment + ", said: " + line);
            }
            samples.add(fromNanos.applyAsDouble(Double.parseDouble(line)));
        }
        if (printed.size() != rounds) {
            throw new IOException(
                    language.peer + ", " + experiment + ", made " + printed.size() + " rounds, not "
                            + rounds);
        }
    }
}
