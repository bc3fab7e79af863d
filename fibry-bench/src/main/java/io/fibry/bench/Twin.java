package io.fibry.bench;

import io.fibry.bench.report.Samples;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Stream;

/**
 * The same experiment in another language. The program counts what it has done and fails if something is missing.
 *
 * @param language the language
 * @param experiment the experiment
 * @param which a number that the experiment takes: the size of the ring, the number of senders
 * @param count the number of operations
 * @param fromNanos converts the nanoseconds of all operations to the unit of the experiment
 */
record Twin(Language language, String experiment, int which, int count, DoubleUnaryOperator fromNanos)
        implements
            Measured {
    /** Returns lines for all languages. Quick runs have Go's, whose programs are compiled and started fast. */
    static List<Line> each(String group, Count count, String experiment, int which) {
        return Stream.of(Language.values()).map(language -> {
            var line = Line.of(group, language.peer,
                    new Twin(language, experiment, which, count.count, count.fromNanos()));
            return language == Language.GO ? line.notSmoke() : line.fullOnly();
        }).toList();
    }

    /** The number of operations, and the conversion of the time that they take. */
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
