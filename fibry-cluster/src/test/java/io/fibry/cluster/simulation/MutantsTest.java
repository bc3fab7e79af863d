package io.fibry.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.SourceText;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each mistake of {@link Mutants} is found by its scenario. The sources of the cluster and of the simulation are compiled with the mistake,
 * and loaded apart from all else. The profile "thorough" tries all; the normal build tries one of five of those that
 * few seeds find.
 */
class MutantsTest {
    private static final Path SOURCES = Path.of("src", "main", "java", "io", "fibry", "cluster");
    private static final Path SIMULATION =
            Path.of("src", "test", "java", "io", "fibry", "cluster", "simulation");
    private static final int QUICK = 200;
    private static final int ONE_OF = 5;

    @TempDir
    Path compiled;

    static List<Mutant> mutants() {
        var only = System.getProperty("fibry.mutants");
        if (only != null) {
            return Mutants.ALL.stream().filter(mutant -> mutant.id().contains(only)).toList();
        }
        if (Boolean.getBoolean("fibry.thorough")) {
            return Mutants.ALL;
        }
        var quick = Mutants.ALL.stream().filter(mutant -> mutant.seeds() <= QUICK).toList();
        return quick.stream().filter(mutant -> quick.indexOf(mutant) % ONE_OF == 0).toList();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void isFound(Mutant mutant) throws Exception {
        compile(mutant);
        try (var loader = new URLClassLoader(new URL[]{compiled.toUri().toURL()},
                ClassLoader.getPlatformClassLoader())) {
            var run = loader.loadClass(Simulation.class.getName()).getDeclaredMethod("run", long.class,
                    String.class);
            run.setAccessible(true);
            var found = false;
            for (long seed = 1; seed <= mutant.seeds() && !found; seed++) {
                found = fails(run, seed, mutant.scenario());
            }
            assertThat(found).as("%s finds %s in %d seeds", mutant.scenario(), mutant.id(), mutant.seeds())
                    .isTrue();
        }
    }

    private static boolean fails(Method run, long seed, String scenario) throws IllegalAccessException {
        try {
            return !((List<?>) run.invoke(null, seed, scenario)).isEmpty();
        } catch (InvocationTargetException thrown) {
            return true; // a mutant that breaks the simulation itself is found as well
        }
    }

    private void compile(Mutant mutant) throws IOException {
        var sources = new ArrayList<JavaFileObject>();
        for (var file : files()) {
            var text = Files.readString(file);
            if (file.equals(SOURCES.resolve(mutant.file()))) {
                assertThat(text.split(Pattern.quote(mutant.from()), -1)).as("'%s' in %s", mutant.from(), file)
                        .hasSize(2);
                text = text.replace(mutant.from(), mutant.to());
            }
            sources.add(new SourceText(file.toUri(), text));
        }
        var errors = new StringWriter();
        var compiler = ToolProvider.getSystemJavaCompiler();
        var options = List.of("-nowarn", "-proc:none", "-d", compiled.toString(), "-cp",
                System.getProperty("java.class.path"));
        assertThat(compiler.getTask(errors, null, null, options, null, sources).call()).as(errors.toString())
                .isTrue();
    }

    private static List<Path> files() throws IOException {
        var files = new ArrayList<Path>();
        for (var folder : List.of(SOURCES.resolve("stream"), SOURCES.resolve("home"),
                SOURCES.resolve("circle"), SOURCES.resolve("engine"), SIMULATION)) {
            try (Stream<Path> inside = Files.list(folder)) {
                inside.filter(
                        file -> !file.toString().endsWith("Test.java") && !file.endsWith("package-info.java"))
                        .sorted(Comparator.naturalOrder()).forEach(files::add);
            }
        }
        return files;
    }

    @Test
    void eachMarkerHasAMutantAndEachMutantAMarker() throws Exception {
        var marker = Pattern.compile("// mutant: ([a-z-]+)");
        var marked = new ArrayList<String>();
        for (var file : files()) {
            marker.matcher(file.startsWith(SOURCES) ? Files.readString(file) : "").results()
                    .forEach(match -> marked.add(match.group(1)));
        }
        assertThat(marked).doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(
                        Mutants.ALL.stream().map(Mutant::id).collect(Collectors.toList()));
    }
}
