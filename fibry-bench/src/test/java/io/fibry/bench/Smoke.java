package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Machine;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import java.io.ObjectInputFilter;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs small experiments, to show that they work. It says nothing about speed. Two classes share them, and two JVMs run these at the same time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Smoke {
    /** The first experiment that is about time, threads and programs. Those before it are about messages and actors. */
    private static final String FIRST_OF_PROGRAMS = "sleepers";

    /** Those that take longest, which are left to the thorough build. */
    private static final Set<String> LONG = Boolean.getBoolean("fibry.thorough") ? Set.of()
            : Set.of("durable", "timed-launches", "http-calls", "sql-connections", "flood-from-fibers",
                    "latency");

    private static final Predicate<String> MISSING =
            Pattern.compile("\\w+ is not installed; on Debian and Ubuntu: .*").asMatchPredicate();

    private final Map<String, List<Row>> results = new HashMap<>();
    @TempDir
    Path logs;

    abstract List<String> names();

    static List<String> ofMessages() {
        return shorter(all().subList(0, all().indexOf(FIRST_OF_PROGRAMS)));
    }

    static List<String> ofPrograms() {
        return shorter(all().subList(all().indexOf(FIRST_OF_PROGRAMS), all().size()));
    }

    private static List<String> shorter(List<String> names) {
        assertThat(all()).containsAll(LONG);
        return names.stream().filter(name -> !LONG.contains(name)).toList();
    }

    private static List<String> all() {
        return Experiments.forAll().stream().map(Experiment::name).toList();
    }

    @AfterEach
    void restoreTheDefaultStrategy() {
        ActorSystem.setDefaultStrategy(CreationStrategy.fibers());
    }

    /** JMH's processes send serialized objects to this one. */
    @AfterEach
    void objectsCanStillBeRead() {
        assertThat(ObjectInputFilter.Config.getSerialFilter()).isNull();
    }

    @ParameterizedTest
    @MethodSource("names")
    void anExperimentHasAResultForEachOfItsSubjects(String name) throws Exception {
        var rows = run(name);

        assertThat(rows).isNotEmpty().allSatisfy(row -> {
            assertThat(row.samples().values()).isNotEmpty().allSatisfy(
                    value -> assertThat(value).isFinite().isPositive());
        });
        assertThat(rows).extracting(row -> row.subject() + row.unit()).doesNotHaveDuplicates();
    }

    /** Runs an experiment, unless its results are known already. */
    private List<Row> run(String name) throws Exception {
        var before = results.get(name);
        if (before != null) {
            return before;
        }
        var report = new Report(Machine.here(), new PrintStream(OutputStream.nullOutputStream()));
        var settings = new Settings(Size.SMOKE, OptionalLong.empty(), logs);
        Experiments.find(name).orElseThrow().run(settings, report);
        // One that measures by a program alone has nothing to say on a machine without it, but how to get it.
        assumeFalse(report.rows().isEmpty() && report.notes().stream().anyMatch(MISSING),
                report.notes()::toString);
        results.put(name, report.rows());
        return report.rows();
    }

    final Map<String, Double> medians(String name) throws Exception {
        return run(name).stream().collect(Collectors.toMap(Row::subject, row -> row.samples().median()));
    }
}
